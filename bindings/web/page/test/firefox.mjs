/** Debian's Firefox, driven over Marionette, which it has itself: playwright-core drives only a Firefox of its own. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE = 60_000;
/** The member of an element in answers of WebDriver. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
export const KEYS = { Enter: "\uE007", Home: "\uE011", End: "\uE010", ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015", Control: "\uE009" };

export class Firefox {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = new Map();
  #next = 1;

  static async start() {
    const browser = new Firefox();
    browser.folder = mkdtempSync(join(tmpdir(), "enginewire-firefox-"));
    const [profile, downloads] = ["profile", "downloads"].map((name) => join(browser.folder, name));
    for (const folder of [profile, downloads]) mkdirSync(folder);
    browser.downloads = downloads;
    const settings = {
      "marionette.port": 0,
      "browser.download.folderList": 2,
      "browser.download.dir": downloads,
      "browser.download.alwaysOpenPanel": false,
      "app.update.enabled": false,
      "datareporting.policy.dataSubmissionEnabled": false,
      "network.captive-portal-service.enabled": false,
    };
    writeFileSync(join(profile, "user.js"), Object.entries(settings).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
    const program = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";
    browser.process = spawn(program, ["--headless", "--no-remote", "--marionette", "--profile", profile], {
      stdio: "ignore",
      env: { ...process.env, HOME: browser.folder },
    });
    const port = join(profile, "MarionetteActivePort");
    await until(() => existsSync(port) && readFileSync(port, "utf8") !== "", "Firefox to listen");
    await browser.#connect(Number(readFileSync(port, "utf8")));
    await browser.send("WebDriver:NewSession", { strictFileInteractability: false });
    await browser.send("WebDriver:SetWindowRect", { width: 1400, height: 1000 });
    return browser;
  }

  async #connect(port) {
    this.#socket = connect(port, "127.0.0.1");
    const greeted = new Promise((done) => (this.greet = done));
    this.#socket.on("data", (piece) => {
      this.#received = Buffer.concat([this.#received, piece]);
      for (;;) {
        const colon = this.#received.indexOf(58);
        if (colon < 0) return;
        const end = colon + 1 + Number(this.#received.subarray(0, colon));
        if (this.#received.length < end) return;
        const message = JSON.parse(this.#received.subarray(colon + 1, end).toString());
        this.#received = this.#received.subarray(end);
        if (!Array.isArray(message)) this.greet();
        else {
          const [, id, error, result] = message;
          const { done, failed } = this.#waiting.get(id);
          this.#waiting.delete(id);
          if (error !== null) failed(new Error(`${error.error}: ${error.message}`));
          else done(result);
        }
      }
    });
    await greeted;
  }

  send(name, parameters = {}) {
    const id = this.#next++;
    const text = JSON.stringify([0, id, name, parameters]);
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done, failed });
      this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }

  async visit(address) {
    await this.send("WebDriver:Navigate", { url: address });
    await this.run(() => {
      window.wrong = [];
      addEventListener("error", (event) => window.wrong.push(event.message));
      addEventListener("unhandledrejection", (event) => window.wrong.push(String(event.reason)));
      document.addEventListener("securitypolicyviolation", (event) => window.wrong.push(event.violatedDirective));
    });
  }

  /** Runs a function in the page. */
  async run(work, ...args) {
    const script = `return (${work})(...arguments)`;
    return (await this.send("WebDriver:ExecuteScript", { script, args, sandbox: null, newSandbox: false })).value;
  }

  /** Waits until a function of the page gives something. */
  wait(work, ...args) {
    return until(() => this.run(work, ...args), `${work} ${JSON.stringify(args)}`);
  }

  /** The first element with this selector, and this text if one is given. */
  async element(selector, text) {
    const find = (selector, text) => [...document.querySelectorAll(selector)].find((element) => text === null || element.textContent === text) ?? null;
    return (await this.wait(find, selector, text ?? null))[ELEMENT];
  }

  async click(selector, text) {
    await this.send("WebDriver:ElementClick", { id: await this.element(selector, text) });
  }

  async type(selector, text) {
    await this.send("WebDriver:ElementSendKeys", { id: await this.element(selector), text });
  }

  /** Replaces the text of a field with the keyboard, as a person does. */
  async fill(selector, text) {
    await this.click(selector);
    await this.press(KEYS.Control, "a");
    await this.type(selector, text);
  }

  /** Presses keys where the focus is. */
  async press(...keys) {
    const actions = [...keys.map((value) => ({ type: "keyDown", value })), ...keys.toReversed().map((value) => ({ type: "keyUp", value }))];
    await this.send("WebDriver:PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** The file that a click on the download button saves. */
  async downloaded() {
    for (const name of readdirSync(this.downloads)) rmSync(join(this.downloads, name));
    await this.click("header button.download");
    const names = () => readdirSync(this.downloads);
    await until(() => names().length === 1 && !names()[0].endsWith(".part"), "a download");
    return readFileSync(join(this.downloads, names()[0]));
  }

  async stop() {
    const ended = new Promise((done) => this.process.once("exit", done));
    await this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => this.process.kill());
    await ended;
    this.#socket.destroy();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function until(work, what) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(50)) {
    const found = await work();
    if (found) return found;
  }
  return assert.fail(`waited in vain for ${what}`);
}
