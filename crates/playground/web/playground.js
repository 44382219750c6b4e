// The page of the playground. `PROGRAM` of program.js is the program in base 64, so that the page also works as a local file.
"use strict";

const element = (id) => document.getElementById(id);
let module;
let worker;

function show(state) {
  element("state").textContent = state;
  element("check").disabled = !module || Boolean(worker);
  element("stop").disabled = !worker;
}

// Sends a request to the program, and its answer to `use`.
function ask(request, use) {
  worker?.terminate();
  worker = start(module, JSON.stringify(request), (text) => {
    worker = undefined;
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      answer = { error: `The program has failed; its memory or stack may not suffice.\n${text}` };
    }
    show("");
    use(answer);
  });
  show("working…");
}

function example(name) {
  ask({ example: name }, ({ model, formulas }) => {
    element("model").value = model;
    element("formulas").value = formulas;
  });
}

function check() {
  element("page").hidden = true;
  element("verdicts").hidden = true;
  ask({ model: element("model").value, formulas: element("formulas").value }, (answer) => {
    const texts = answer.error ? [answer.error] : answer.verdicts.map((verdict) => verdict.text.trimEnd());
    element("verdicts").textContent = texts.join("\n");
    element("verdicts").hidden = false;
    if (answer.page) {
      // A new frame: Chromium does not draw a page that a hidden frame has loaded.
      const frame = element("page").cloneNode();
      frame.srcdoc = answer.page;
      frame.hidden = false;
      element("page").replaceWith(frame);
    }
  });
}

element("check").onclick = check;
element("stop").onclick = () => {
  worker?.terminate();
  worker = undefined;
  show("stopped");
};
for (const button of document.querySelectorAll("[data-example]")) {
  button.onclick = () => example(button.dataset.example);
}

const bytes = Uint8Array.from(atob(PROGRAM), (letter) => letter.charCodeAt(0));
WebAssembly.compile(bytes).then(
  (compiled) => {
    module = compiled;
    example("net");
  },
  (error) => show(String(error)),
);
