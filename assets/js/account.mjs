// Who has signed in, where the playground lets people sign in; and the chats that come along.

import { Refused, request } from "./api.mjs";
import { chat } from "./chat.mjs";
import { el } from "./dom.mjs";
import { t } from "./texts.mjs";

const ADOPTED = "glm.adopted";

/** The chat that the page opens with: right after signing in it is not the reader's yet. */
const shown = chat.isNew ? null : chat.id;

/**
 * Asked once as the page opens; it never fails, since chats do not depend on it.
 * @type {Promise<{name: string|null, can_sign_in: boolean}>}
 */
export const account = request("account").catch((error) => {
  if (!(error instanceof Refused)) throw error;
  return { name: null, can_sign_in: false };
});

/** Puts the way in, or the reader's name and the way out, where there is an account. */
export async function showAccount(place) {
  const { name, can_sign_in: canSignIn } = await account;
  if (name !== null) place.append(named(name), link("logout", t("account.sign_out")));
  else if (canSignIn) place.append(link("login/huggingface", t("account.sign_in")));
}

function named(name) {
  const title = t("account.name", { name });
  return el("span.account-name", { title, dir: "auto" }, name);
}

function link(path, text) {
  // Signing in happens on a page of its own, which no frame may show.
  const target = window.self === window.top ? null : "_blank";
  return el("a.button.account-link", { href: new URL(path, document.baseURI).href, target }, text);
}

/**
 * Once a reader has signed in, moves the chats of this browser to the reader.
 * @throws {Refused}
 */
export async function adoptChats() {
  const { name } = await account;
  if (name === adopter()) return;
  if (name !== null) {
    await request("account/adopt", { method: "POST" });
    chat.changed();
    if (shown !== null && chat.isNew && chat.isEmpty) chat.go(shown);
  }
  setAdopter(name);
}

/** Who took this browser's chats over last. */
function adopter() {
  try {
    return localStorage.getItem(ADOPTED);
  } catch {
    return null; // nothing is kept here: each page asks again, and what there is moves
  }
}

function setAdopter(name) {
  try {
    if (name === null) localStorage.removeItem(ADOPTED);
    else localStorage.setItem(ADOPTED, name);
  } catch {
    // As above.
  }
}
