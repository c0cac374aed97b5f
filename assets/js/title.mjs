// The tab's title: it says that an answer is there while the tab is hidden.

const plain = document.title;
let name = "";

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && name) document.title = name;
});

/** An answer has ended; `words` say how, for a reader who is elsewhere. */
export function tellInTitle(words) {
  if (!document.hidden) return;
  name ||= document.title || plain;
  document.title = `${words} · ${name}`;
}
