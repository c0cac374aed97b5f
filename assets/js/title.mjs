// The tab's title: the chat that is shown, and what has happened while the tab was hidden.

import { pathOf } from "./address.mjs";
import { Refused, request } from "./api.mjs";
import { chat } from "./chat.mjs";
import { server } from "./server.mjs";
import { t } from "./texts.mjs";

let title = "";
let news = "";

function show() {
  document.title = [news, title, t("header.product")].filter(Boolean).join(" · ");
}

function name(of) {
  title = of;
  show();
}

/** The first message gives a chat its title, and anybody may change it. */
async function ask() {
  const { id } = chat;
  try {
    const found = await request(`${pathOf(id)}?limit=1`);
    if (id === chat.id) name(found.title);
  } catch (error) {
    if (!(error instanceof Refused)) throw error; // it keeps the title that it has
  }
}

/** Something has ended; `words` say what, for a reader who is elsewhere. */
export function tellInTitle(words) {
  if (!document.hidden) return;
  news = words;
  show();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  news = "";
  show();
});
chat.addEventListener("entered", () => name(""));
chat.addEventListener("reset", ({ detail }) => name(detail.title));
chat.addEventListener("chats", async ({ detail }) => {
  await null; // one that is deleted is left by then
  if (detail.chat === chat.id && !chat.isNew) ask();
});
server.addEventListener("change", ({ detail }) => {
  const isAwake = detail.before === "waking" && ["ready", "busy"].includes(server.status.state);
  if (isAwake) tellInTitle(t("title.ready"));
});
