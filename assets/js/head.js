// Runs in the head, before the page is drawn: who owns the chats that it shows, the chosen theme,
// and which columns the reader has closed.
(() => {
  const OWNER = "glm.owner";
  const BEFORE = "glm.owner.before"; // this browser's own, while it shows the chats of a link
  const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;

  const storage = {
    read: (key) => localStorage.getItem(key),
    write(key, value) {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    },
  };

  const cookie = {
    read(key) {
      const name = `${key.replaceAll(".", "_")}=`;
      const found = document.cookie.split("; ").find((each) => each.startsWith(name));
      return found ? found.slice(name.length) : null;
    },
    write(key, value) {
      const name = key.replaceAll(".", "_");
      const seconds = value === null ? 0 : 31_536_000;
      document.cookie =
        `${name}=${value ?? ""}; Path=/; Max-Age=${seconds}; Secure; SameSite=None; Partitioned`;
      if (cookie.read(key) !== value) throw new Error("cookies are refused");
    },
  };

  /** What memory.mjs has handed on over a reload. */
  function carried() {
    return history.state?.carried?.owner ?? null;
  }

  const kept = new Map();
  const memory = { // lasts no longer than the page, so there is no way back from a link
    read: (key) => kept.get(key) ?? (key === OWNER ? carried() : null),
    write: (key, value) => key !== BEFORE && kept.set(key, value),
  };

  function freshToken() {
    const bytes = crypto.getRandomValues(new Uint8Array(24)); // 192 bits, 32 characters
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }

  /** What the address names as the owner: a recovery link (recovery.mjs). */
  function ofLink() {
    return new URLSearchParams(location.hash.slice(1)).get("owner");
  }

  /** Takes another owner; the chat that this tab shows is not theirs. */
  function change(place, token) {
    place.write(OWNER, token);
    try {
      sessionStorage.removeItem("glm.chat");
    } catch {
      // Nothing was kept there.
    }
  }

  /** The owner from now on, kept in a place; throws where that keeps nothing. */
  function settle(place, linked) {
    const own = place.read(OWNER);
    if (linked === null || linked === own) {
      place.write(OWNER, own ?? freshToken());
      return;
    }
    const before = place.read(BEFORE);
    if (before === linked) place.write(BEFORE, null);
    else if (own !== null && before === null) place.write(BEFORE, own);
    change(place, linked);
  }

  const wanted = ofLink();
  const isLink = wanted !== null && TOKEN.test(wanted);
  if (wanted !== null) {
    // A secret: it must stay neither in sight nor in the history.
    history.replaceState(history.state, "", location.pathname + location.search);
  }

  let place;
  let name;
  for ([name, place] of [["storage", storage], ["cookie", cookie], ["memory", memory]]) {
    try {
      settle(place, isLink ? wanted : null);
      break;
    } catch {
      // Refused here, as in a frame of another site: the next place is tried.
    }
  }
  const owner = place.read(OWNER);

  /**
   * The random token that owns the chats of this page.
   *   kept   where it is kept: "storage", "cookie", or "memory", which ends with the page
   *   link   what the address was: "taken", a recovery link; "wrong", an unreadable one; or null
   *   before this browser's own token, where the chats of a link are shown; or null
   *   goBack shows this browser's own chats again
   */
  window.glmOwner = Object.assign(() => owner, {
    kept: name,
    link: wanted === null ? null : isLink ? "taken" : "wrong",
    before: place.read(BEFORE),
    goBack() {
      change(place, place.read(BEFORE));
      place.write(BEFORE, null);
      location.reload();
    },
  });

  // A link that is opened in this very tab: the page begins anew, before chat.mjs hears of it.
  for (const event of ["popstate", "hashchange"]) {
    window.addEventListener(event, (happened) => {
      if (ofLink() === null) return;
      happened.stopImmediatePropagation();
      location.reload();
    });
  }

  // Gradio has taken the theme of the address, or of the system, by now; nothing is drawn yet.
  try {
    const chosen = localStorage.getItem("glm.theme");
    if (chosen && !new URL(location.href).searchParams.has("__theme")) {
      document.body.classList.toggle("dark", chosen === "dark");
    }
    for (const panel of JSON.parse(sessionStorage.getItem("glm.closed") ?? "[]")) {
      document.body.dataset[panel] = "closed";
    }
    document.body.dataset.panel = JSON.parse(sessionStorage.getItem("glm.panel")) ?? "settings";
  } catch {
    // Nothing is kept here: the system's theme it is.
  }
})();
