// What the cards of the conversation ask of the page around them. While a run goes on most of it
// is not to be had, which is said; so is what the server refuses.

import { Refused } from "./api.mjs";
import { chat } from "./chat.mjs";
import { answerCalls, cancelCalls, repairCall, resume } from "./chat_calls.mjs";
import { messageSource, pathOfTurn, rate, turnSource } from "./chat_sources.mjs";
import { asMarkdown, asWritten } from "./markdown.mjs";
import { options, problem } from "./settings.mjs";
import { setup } from "./setup.mjs";
import { join, t } from "./texts.mjs";

export class CardPage {
  /** @param {import("./transcript.mjs").Transcript} transcript */
  constructor(transcript) {
    this.transcript = transcript;
  }

  isFollowed() {
    return this.transcript.follower.following;
  }

  /** Whether the chat can be changed now; where it cannot, that is said. */
  isFree() {
    if (chat.busy) chat.tell("refused", { sentence: t("transcript.busy") });
    return !chat.busy;
  }

  /** Asks something of the chat; what is refused is said near the message box, and gives null. */
  async ask(asking) {
    try {
      return await asking();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      chat.tell("refused", { sentence: error.sentence });
      return null;
    }
  }

  /** Has the model do something; what the settings make impossible is said. */
  async run(asking) {
    if (!this.isFree()) return;
    await setup.settled();
    const wrong = problem() ?? setup.problem();
    if (wrong) return chat.tell("refused", { sentence: wrong });
    await this.ask(asking);
  }

  /** Answers a message, or the results of calls, again; without `effort` at the one of the settings. */
  retry(turn, effort) {
    return this.run(async () => {
      const answered = await this.transcript.answeredBy(turn);
      if (!answered) return;
      const asked = effort === undefined ? options() : { ...options(), effort };
      await chat.retry(answered.id, turn.id, asked);
    });
  }

  goOn() {
    return this.run(() => chat.goOn(options()));
  }

  /** Has the results at the chat's end answered: a run was stopped before its next step. */
  resume() {
    return this.run(() => resume(options()));
  }

  /** Answers the calls that wait, as `answerCalls` does. */
  answerCalls(how) {
    return this.run(() => answerCalls(how, options()));
  }

  /** Tells the model of the calls that wait that they were not executed, and asks it nothing. */
  async cancelCalls() {
    if (!this.isFree() || (await cancelCalls()) === null) return;
    this.transcript.entries.at(-1)?.element.focus({ preventScroll: true });
  }

  /** Puts a person's arguments into a call that waits; false where that cannot be done. */
  async repairCall(call, words) {
    return this.isFree() && (await repairCall(call, words)) !== null;
  }

  /**
   * Sends a message worded anew; false where it cannot be done now.
   * @throws {Refused}
   */
  async editMessage(view, message) {
    if (!this.isFree()) return false;
    await setup.settled();
    const wrong = problem() ?? setup.problem();
    if (wrong) throw new Refused(0, { code: "settings", message: wrong });
    await chat.edit(view.id, message, options());
    return true;
  }

  /** Puts the reader's wording beside an answer. */
  async editAnswer(turn, text) {
    if (!this.isFree()) return false;
    const at = this.transcript.entries.indexOf(turn);
    if ((await chat.editAnswer(turn.id, text)) === null) return false;
    this.transcript.entries[at]?.element.focus({ preventScroll: true });
    return true;
  }

  /** Takes the last message back into the message box. */
  async takeBack() {
    if (!this.isFree()) return;
    const { id } = chat;
    const message = await chat.undo();
    if (message === null || id !== chat.id) return;
    const { text, attachments, files } = message;
    chat.tell("draft", { text, attachments, files });
  }

  choose(view, id, way) {
    if (this.isFree()) return this.transcript.choose(view, id, way);
  }

  /** @throws {Refused} */
  rate(turn, value, comment) {
    return rate(turn.id, value, comment);
  }

  messageSource(id) {
    return this.ask(() => messageSource(id));
  }

  /** Shows an answer anew, as it came. */
  replay(turn) {
    if (this.isFree()) this.transcript.replays.answer(turn);
  }

  /** Shows what was really sent for an answer, and what came back. */
  async inspect(turn) {
    const path = `${pathOfTurn(turn.id)}/exchanges`;
    const inspect = await import("./inspect.mjs").catch(() => null);
    if (inspect) return inspect.openInspector(path);
    const sentence = join(t("api.offline.message"), t("api.offline.remedy"));
    chat.tell("refused", { sentence });
  }

  /** A turn as Markdown, to be copied. @throws {Refused} */
  async readSource(turn) {
    return asMarkdown((await turnSource(turn.id)).parts);
  }

  /** The words of the answer, to be edited; or null. */
  async answerText(turn) {
    const source = await this.ask(() => turnSource(turn.id));
    return source && asWritten(source.parts);
  }
}
