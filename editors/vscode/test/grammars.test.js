// Scopes of words in formulas and programs.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { Registry, parseRawGrammar } = require("vscode-textmate");

const folder = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));

async function grammar(scopeName) {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => {
      const found = manifest.contributes.grammars.find((grammar) => grammar.scopeName === name);
      const file = path.join(folder, found.path);
      return parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  return registry.loadGrammar(scopeName);
}

// The words of a line that have a scope besides that of the language, as `word:scope`.
function scopes(grammar, line) {
  const tokens = grammar.tokenizeLine(line).tokens.filter((token) => token.scopes.length > 1);
  return tokens.map((token) => {
    const scope = token.scopes[1].split(".").slice(0, 2).join(".");
    return `${line.slice(token.startIndex, token.endIndex).trim()}:${scope}`;
  });
}

test("formulas", async () => {
  const ltl = await grammar("source.ltl");
  assert.deepStrictEqual(scopes(ltl, 'no-one: G !(p & "a \\" # b") -> GF Fork_1 # why'), [
    "no-one:entity.name", "::punctuation.separator", "G:keyword.operator", "!:keyword.operator", "&:keyword.operator",
    '"a \\" # b":string.quoted', "->:keyword.operator", "GF:keyword.operator", "# why:comment.line",
  ]);
  assert.deepStrictEqual(scopes(ltl, "F fires(t) U deadlock"), [
    "F:keyword.operator", "fires:support.function", "U:keyword.operator", "deadlock:support.variable",
  ]);
  assert.deepStrictEqual(scopes(ltl, "#define F_1 P.s"), ["#define:keyword.control"]);
  assert.deepStrictEqual(scopes(ltl, "fair weak all"), ["fair:keyword.other", "weak:keyword.other"]);
});

test("Promela", async () => {
  const promela = await grammar("source.promela");
  assert.deepStrictEqual(scopes(promela, "active proctype P() { byte n; do :: c?n -> skip od } // one"), [
    "active:keyword.other", "proctype:keyword.other", "P:entity.name", "byte:storage.type", "do:keyword.control",
    ":::keyword.control", "?:keyword.operator", "->:keyword.operator", "skip:keyword.control", "od:keyword.control",
    "// one:comment.line",
  ]);
});

test("programs", async () => {
  const dve = await grammar("source.dve");
  assert.deepStrictEqual(scopes(dve, "process P { byte x = 1; // one"), [
    "process:keyword.other", "P:entity.name", "byte:storage.type", "=:keyword.operator", "1:constant.numeric", "// one:comment.line",
  ]);
  assert.deepStrictEqual(scopes(dve, "guard Q->x and Q.s;"), [
    "guard:keyword.control", "Q:variable.other", "->:punctuation.accessor", "and:keyword.operator", "Q:variable.other",
    ".:punctuation.accessor",
  ]);
});
