// Runs in the head, before the page is drawn: who owns this browser's chats, and the chosen theme.
(() => {
  const KEY = "glm.owner";

  function fromStorage() {
    let token = localStorage.getItem(KEY);
    if (!token) localStorage.setItem(KEY, (token = freshToken()));
    return token;
  }

  function fromCookie() {
    const found = document.cookie.match(/(?:^|; )glm_owner=([\w-]+)/);
    const token = found ? found[1] : freshToken();
    document.cookie =
      `glm_owner=${token}; Path=/; Max-Age=31536000; Secure; SameSite=None; Partitioned`;
    if (!document.cookie.includes(token)) throw new Error("cookies are refused");
    return token;
  }

  function freshToken() {
    const bytes = crypto.getRandomValues(new Uint8Array(24)); // 192 bits, 32 characters
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }

  let known = null;

  /** The random token that owns this browser's chats; `glmOwner.kept` says where it is kept. */
  window.glmOwner = () => {
    if (known) return known;
    for (const [kept, read] of [["storage", fromStorage], ["cookie", fromCookie]]) {
      try {
        known = read();
        window.glmOwner.kept = kept;
        return known;
      } catch {
        // Refused here, as in a frame of another site: the next place is tried.
      }
    }
    known = freshToken();
    window.glmOwner.kept = "memory";
    return known;
  };

  // Gradio has taken the theme of the address, or of the system, by now; nothing is drawn yet.
  try {
    const chosen = localStorage.getItem("glm.theme");
    if (chosen && !new URL(location.href).searchParams.has("__theme")) {
      document.body.classList.toggle("dark", chosen === "dark");
    }
  } catch {
    // Nothing is kept here: the system's theme it is.
  }
})();
