// The buttons of the header.

import { showAccount } from "./account.mjs";
import { translate } from "./labels.mjs";
import { startPanels } from "./panel.mjs";
import { KEYS, newChat } from "./shortcuts.mjs";
import { startStatus } from "./status.mjs";
import { t } from "./texts.mjs";
import { startTheme } from "./theme.mjs";

/** Called once by the Gradio component with the element that holds the header. */
export function mount(element) {
  translate(element);
  startStatus(element.querySelector(".header-status"));
  startTheme(element.querySelector("#theme-toggle"));
  startPanels();
  showAccount(element.querySelector("#account"));
  const fresh = element.querySelector("#new-chat");
  fresh.title = t("chats.keys", { what: t("header.new_chat"), keys: KEYS.newChat });
  fresh.addEventListener("click", newChat);
}
