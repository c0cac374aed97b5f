// The page of somebody who may not come in: its words in the reader's language, and signing in.

import { translate } from "./labels.mjs";
import { t } from "./texts.mjs";

const way = document.querySelector("#sign-in");

translate(document.body);
try {
  document.documentElement.dataset.theme = localStorage.getItem("glm.theme") ?? "system";
} catch {
  // Nothing is kept here: the system's theme it is.
}
if (way instanceof HTMLAnchorElement && window.self !== window.top) {
  way.target = "_blank"; // signing in happens on a page of its own, which no frame may show
}
if (way instanceof HTMLFormElement) {
  way.onsubmit = (event) => {
    event.preventDefault();
    void signIn(way);
  };
  if (way.dataset.waits) way.requestSubmit();
}

/** Sends the name and the password; the page is drawn anew for who may come in. */
async function signIn(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  say("");
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
    });
    if (response.ok) {
      location.reload();
      return;
    }
    say(response.status === 429 ? t("locked.too_often") : t("locked.wrong"));
  } catch {
    say(t("locked.offline"));
  }
  button.disabled = false;
  form.elements.namedItem("password").select();
}

function say(words) {
  document.querySelector("#wrong").textContent = words;
}
