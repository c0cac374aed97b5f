// The dialog that takes tools from what a person has: pasted, chosen or dropped, or an MCP server's
// that the owner of the playground lists. What would come is shown first. Nothing is ever run.

import { Refused, request } from "./api.mjs";
import { el, freshId } from "./dom.mjs";
import { size } from "./format.mjs";
import { t } from "./texts.mjs";
import { Incoming, Trouble } from "./tools_incoming.mjs";

const ASKED_AFTER_MS = 300;
const MOST_BYTES = 8_000_000; // of a file; the server says what of it is too long
const KINDS = ["auto", "python", "openapi", "mcp", "json"];

export class ImportDialog {
  constructor() {
    this.incoming = new Incoming();
    this.trouble = new Trouble();
    this.timer = 0;
    this.asked = 0; // only the answer to the last question counts
    this.text = el("textarea.import-text", {
      rows: "8",
      spellcheck: "false",
      autocapitalize: "off",
      dir: "ltr",
      "aria-label": t("import.text"),
      placeholder: t("import.placeholder"),
      oninput: () => this.written(),
    });
    this.kind = el(
      "select.import-kind",
      { id: freshId("import"), onchange: () => this.ask() },
      ...KINDS.map((kind) => el("option", { value: kind }, t(`import.kind.${kind}`))),
    );
    this.servers = el("div.import-servers", { hidden: true });
    const button = el(
      "button.button.dialog-button.is-primary",
      { type: "submit", disabled: true },
      t("import.take"),
    );
    this.action = { button, run: () => this.incoming.take() };
    this.content = [
      this.dropArea(),
      el("div.import-row", {}, el("label", { for: this.kind.id }, t("import.kind")), this.kind, this.fileButton()),
      this.servers,
      this.trouble.element,
      this.incoming.element,
    ];
    this.offerServers();
  }

  dropArea() {
    const show = (isOver) => area.classList.toggle("is-drop-target", isOver);
    const area = el(
      "div.import-drop",
      {
        ondragover: (event) => {
          if (!event.dataTransfer?.types.includes("Files")) return;
          event.preventDefault();
          show(true);
        },
        ondragleave: () => show(false),
        ondrop: (event) => {
          const [file] = event.dataTransfer?.files ?? [];
          if (!file) return;
          event.preventDefault();
          event.stopPropagation(); // it is not for the conversation
          show(false);
          this.takeFile(file);
        },
      },
      this.text,
    );
    return area;
  }

  fileButton() {
    const input = el("input", {
      type: "file",
      hidden: true,
      accept: ".py,.json,.yaml,.yml,.txt",
      "data-testid": "import-file",
      onchange: () => {
        const [file] = input.files;
        input.value = "";
        if (file) this.takeFile(file);
      },
    });
    const onclick = () => input.click();
    const button = el("button.button.bordered", { type: "button", onclick }, t("import.file"));
    return el("span.import-file", {}, input, button);
  }

  async takeFile(file) {
    if (file.size > MOST_BYTES) {
      this.show(null);
      const values = { name: file.name, size: size(file.size), most: size(MOST_BYTES) };
      return this.trouble.tell(t("import.too_large", values));
    }
    this.text.value = await file.text();
    this.ask();
  }

  written() {
    clearTimeout(this.timer);
    this.asked += 1; // what was asked about an older text is no longer waited for
    this.action.button.disabled = true;
    this.timer = setTimeout(() => this.ask(), ASKED_AFTER_MS);
  }

  ask() {
    clearTimeout(this.timer);
    const { value: text } = this.text;
    if (!text.trim()) {
      this.asked += 1;
      this.trouble.tell("");
      return this.show(null);
    }
    return this.fetch("tools/import", { text, kind: this.kind.value });
  }

  async fetch(path, body) {
    this.asked += 1;
    const { asked } = this;
    this.action.button.disabled = true;
    try {
      const found = await request(path, { method: "POST", body });
      if (asked !== this.asked) return;
      this.trouble.tell("");
      this.show(found);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (asked !== this.asked) return;
      this.trouble.tell(error.sentence);
      this.show(null);
    }
  }

  show(found) {
    this.incoming.show(found);
    this.action.button.disabled = found === null;
  }

  /** Servers are offered only where the owner lists some. */
  async offerServers() {
    let servers;
    try {
      ({ servers } = await request("tools/mcp"));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return;
    }
    if (!servers.length) return;
    const ask = (server) => this.fetch("tools/mcp", { server });
    this.servers.append(
      el("span", {}, t("import.servers")),
      ...servers.map(({ id, name }) =>
        el("button.button.bordered", { type: "button", dir: "auto", onclick: () => ask(id) }, name),
      ),
    );
    this.servers.hidden = false;
  }
}
