// The extension in an editor that consists of the calls which it makes. With LARIAT, the path of the program, properties are
// checked by it.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const test = require("node:test");

const root = path.join(__dirname, "../../..");
const settings = { program: process.env.LARIAT ?? "lariat", arguments: ["--timeout", "60s"] };
const calls = [];
const call = (name) => (...words) => calls.push([name, ...words]);
let command;
let property;

const editor = {
  document: { save: async () => true, uri: { toString: () => `file://${root}/examples/mutex.ltl` } },
  selection: { active: { line: 7, character: 3 } },
};
const vscode = {
  workspace: { getConfiguration: () => ({ get: (name) => settings[name] }) },
  window: {
    activeTextEditor: editor,
    createOutputChannel: () => ({ appendLine: call("log"), show: call("show") }),
    showErrorMessage: call("error"),
    showInformationMessage: call("information"),
    showWarningMessage: call("warning"),
    withProgress: (_, work) => work(null, { onCancellationRequested: () => {} }),
  },
  commands: { registerCommand: (_, run) => { command = run; return {}; } },
  env: { openExternal: async (uri) => calls.push(["open", uri]) },
  Uri: { file: (name) => name },
  ProgressLocation: { Notification: 15 },
};
class LanguageClient {
  constructor(_id, _name, server) { calls.push(["client", server]); }
  async start() {}
  isRunning() { return true; }
  async stop() { calls.push(["stop"]); }
  async sendRequest(method, params) {
    assert.strictEqual(method, "lariat/propertyAt");
    assert.deepStrictEqual(params.position, editor.selection.active);
    return property;
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  return name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
};
const extension = require("../extension.js");

test("the server is started and stopped", async () => {
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(calls.shift(), ["client", { command: settings.program, args: ["lsp"] }]);
  await extension.deactivate();
  assert.deepStrictEqual(calls.shift(), ["stop"]);
});

test("no property", async () => {
  property = null;
  await command();
  assert.strictEqual(calls.shift()[0], "warning");
});

const skip = process.env.LARIAT ? false : "LARIAT is not set";
test("a violated property opens the page of its run", { skip }, async () => {
  const example = (name) => path.join(root, "examples", name);
  property = { model: example("mutex.pnml"), formulas: example("mutex.ltl"), property: "no-starvation" };
  await command();
  const [log, open, warning] = calls.splice(0);
  assert.match(log[1], /VIOLATED {2}no-starvation/);
  assert.strictEqual(open[0], "open");
  assert.match(fs.readFileSync(open[1], "utf8"), /<html/);
  assert.match(warning[1], /^VIOLATED {2}no-starvation/);

  property.property = "exclusion";
  await command();
  assert.match(calls.splice(0)[1][1], /^HOLDS/);

  property.model = example("no.pnml");
  await command();
  assert.deepStrictEqual(calls.splice(0).map((call) => call[0]), ["log", "show", "error"]);
});
