// The conversation on the page: draws what the chat tells, and keeps its end in view.

import { announce } from "./announce.mjs";
import { Refused } from "./api.mjs";
import { chat } from "./chat.mjs";
import { el, icon } from "./dom.mjs";
import { Follower } from "./follow.mjs";
import { userMessage } from "./message.mjs";
import { noticeView } from "./notice.mjs";
import { options } from "./settings.mjs";
import { tellInTitle } from "./title.mjs";
import { TurnView } from "./turn.mjs";
import { welcomeView } from "./welcome.mjs";

/** Called once by the Gradio component with the element that holds its template. */
export function mount(element) {
  const scroller = element.querySelector(".transcript");
  new Transcript(scroller);
  chat.open();
}

class Transcript {
  constructor(scroller) {
    this.scroller = scroller;
    this.list = el("div.conversation");
    this.turns = [];
    this.current = null;
    this.jump = el(
      "button.button.jump",
      { type: "button", hidden: true, onclick: () => this.follower.follow() },
      icon("chevron"),
      "Jump to latest",
    );
    scroller.tabIndex = 0;
    this.list.append(el("p.opening", {}, "Opening the chat…"));
    scroller.append(this.list);
    scroller.after(this.jump);
    this.follower = new Follower(scroller, this.list, (following) => {
      this.jump.hidden = following;
    });
    this.page = {
      readSource: async (turn) => asMarkdown((await chat.source(turn)).parts),
      onRetry: () => this.retry(),
      isFollowed: () => this.follower.following,
    };
    for (const name of ["reset", "message", "dropped", "turn", "events", "connection", "gone", "failed", "busy"]) {
      chat.addEventListener(name, ({ detail }) => this[name](detail));
    }
  }

  reset({ messages }) {
    this.turns = [];
    this.current = null;
    this.list.replaceChildren(
      ...messages.map((message) => {
        if (message.kind === "user") return userMessage(message);
        const view = TurnView.ended(message, this.page);
        this.turns.push(view);
        return view.element;
      }),
    );
    if (messages.length === 0) {
      this.list.append(welcomeView((example) => chat.tell("example", { example })));
    }
    this.markLast();
    this.follower.follow();
  }

  message({ message }) {
    this.list.querySelector(".welcome")?.remove();
    this.markLast(false);
    this.list.append(userMessage(message));
    this.follower.follow();
  }

  dropped() {
    this.turns.pop()?.element.remove();
    this.follower.follow();
  }

  turn({ turn }) {
    this.current = new TurnView(turn, this.page);
    this.turns.push(this.current);
    this.list.append(this.current.element);
  }

  events({ batch }) {
    for (const event of batch) {
      if (event.type === "turn" && event.turn !== this.current?.id) this.turn(event);
      if (event.type === "end") this.ended();
      else this.applySafely(event);
    }
  }

  applySafely(event) {
    try {
      this.current?.apply(event);
    } catch (error) {
      console.error(`The event ${event.type} could not be shown.`, error);
    }
  }

  ended() {
    const isComplete = this.current?.element.dataset.state === "complete";
    tellInTitle(isComplete ? "Answered" : "Ended");
    this.markLast();
  }

  connection({ lost }) {
    this.current?.connection(lost);
  }

  gone() {
    this.current?.abandon();
  }

  busy() {
    if (chat.stopping) this.current?.stopping();
  }

  failed({ sentence }) {
    this.list.replaceChildren(
      noticeView({ code: "unreachable", message: sentence, remedy: "" }, () => chat.open()),
    );
  }

  markLast(isLast = true) {
    this.turns.forEach((turn, at) => turn.setLast(isLast && at === this.turns.length - 1));
  }

  async retry() {
    if (chat.busy) return;
    try {
      await chat.retry(options());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      chat.tell("refused", { sentence: error.sentence });
      announce(error.sentence);
    }
  }
}

/** A turn as one Markdown text: answers and calls; the thought only where there is nothing else. */
function asMarkdown(parts) {
  const pieces = parts.map((part) => {
    if (part.kind === "answer") return part.text.trim();
    if (part.kind === "call") {
      return `**Call** \`${part.name}\`\n\n\`\`\`json\n${part.arguments}\n\`\`\``;
    }
    return null;
  });
  const answered = pieces.filter(Boolean);
  if (answered.length) return answered.join("\n\n");
  return parts.map((part) => part.text ?? "").join("\n\n").trim();
}
