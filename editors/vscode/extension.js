// Starts the language server `lariat lsp`, and checks the property under the cursor with `lariat check`.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { execFile } = require("node:child_process");
const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");

let client;
let output;

const program = () => vscode.workspace.getConfiguration("lariat").get("program");

async function activate(context) {
  output = vscode.window.createOutputChannel("Lariat");
  const check = vscode.commands.registerCommand("lariat.checkProperty", checkProperty);
  context.subscriptions.push(output, check);
  const documentSelector = ["dve", "lariat-formulas", "pnml", "promela"].map((language) => ({ scheme: "file", language }));
  const server = { command: program(), args: ["lsp"] };
  client = new LanguageClient("lariat", "Lariat", server, { documentSelector, outputChannel: output });
  try {
    await client.start();
  } catch (error) {
    const advice = "Install it, or name it in the setting `lariat.program`.";
    vscode.window.showErrorMessage(`${program()} does not start: ${error.message}. ${advice}`);
  }
}

function deactivate() {
  return client?.isRunning() ? client.stop() : undefined;
}

async function checkProperty() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client?.isRunning()) {
    return;
  }
  await editor.document.save();
  const position = { line: editor.selection.active.line, character: editor.selection.active.character };
  const found = await client.sendRequest("lariat/propertyAt", {
    textDocument: { uri: editor.document.uri.toString() },
    position,
  });
  if (!found) {
    vscode.window.showWarningMessage("There is no property in this line, or no model for this file.");
    return;
  }
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "lariat-"));
  const page = path.join(folder, "run.html");
  const further = vscode.workspace.getConfiguration("lariat").get("arguments");
  const words = ["check", found.model, "-F", found.formulas, "--select", found.property, "--html", page, ...further];
  const title = `Checking ${found.property}`;
  const location = vscode.ProgressLocation.Notification;
  const { code, text } = await vscode.window.withProgress({ location, title, cancellable: true }, (_, cancel) =>
    run(words, cancel),
  );
  output.appendLine(`$ ${program()} ${words.join(" ")}\n${text}`);
  const verdict = text.split("\n").find((line) => /^(HOLDS|VIOLATED|UNKNOWN)/.test(line)) ?? text.split("\n")[0];
  if (code === 0) {
    vscode.window.showInformationMessage(verdict);
  } else if (code === 1) {
    await vscode.env.openExternal(vscode.Uri.file(page));
    vscode.window.showWarningMessage(verdict);
  } else {
    output.show(true);
    vscode.window.showErrorMessage(verdict || `${program()} does not start.`);
  }
}

/// The exit code of the program and its output. Cancellation interrupts it as Ctrl-C does.
function run(words, cancel) {
  return new Promise((resolve) => {
    const options = { maxBuffer: 1 << 26 };
    const child = execFile(program(), words, options, (error, out, err) => {
      resolve({ code: error ? error.code : 0, text: `${out}${err}` });
    });
    cancel.onCancellationRequested(() => child.kill("SIGINT"));
  });
}

module.exports = { activate, deactivate };
