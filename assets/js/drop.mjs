// Files dropped anywhere on the page, or pasted into the message box.

/** Calls `onFiles` with dropped files, and shows on `target` that it would take them. */
export function acceptDrops(target, onFiles) {
  let depth = 0; // dragenter and dragleave fire for each element on the way
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const show = (isOver) => target.classList.toggle("is-drop-target", isOver);
  window.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth += 1;
    show(true);
  });
  window.addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth = Math.max(0, depth - 1);
    show(depth > 0);
  });
  window.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  window.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    onFiles([...event.dataTransfer.files]);
  });
}

/** Calls `onFiles` with pasted files; pasted text stays the box's own. */
export function acceptPastes(target, onFiles) {
  target.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length || isPictureOfText(files, event.clipboardData)) return;
    event.preventDefault();
    onFiles(files);
  });
}

/**
 * An office program puts a picture of the text beside the text: the text is what is meant. A file
 * manager puts the file's name there: then it is the file.
 */
function isPictureOfText(files, clipboard) {
  const text = clipboard.getData("text/plain");
  if (!text || !files.every((file) => file.type.startsWith("image/"))) return false;
  return !files.some((file) => text.includes(file.name));
}
