// A file that the browser saves.

const MOST_CHARACTERS = 80; // of a name; systems differ in what they take

/** Saves a text or bytes under a name made from `title`, and gives that name. */
export function save(content, title, { ending, type }) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = nameOf(title) + ending;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url)); // once the click has taken it
  return link.download;
}

/** What every system takes as the name of a file. */
function nameOf(title) {
  const plain = title.replace(/[\p{C}<>:"/\\|?*]+/gu, " ").replace(/\s+/g, " ");
  return [...plain].slice(0, MOST_CHARACTERS).join("").replace(/^[ .]+|[ .]+$/g, "") || "chat";
}
