"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const hint = document.getElementById("hint");
  const panel = document.getElementById("job");
  let on = null;

  // Returns the engines and the case of a point.
  const engines = (point) => point.closest("[data-engines]").dataset.engines.split(",").map(Number);
  const caseOf = (point) => data.cases[Number(point.dataset.c)];
  const say = (run) => run[1] ? `${run[0]}, ${run[1]}` : run[0] + (run[2] ? ` (${run[2]})` : "");

  function show(point) {
    if (on) on.classList.remove("on");
    on = point;
    hint.hidden = !point;
    if (!point) return;
    point.classList.add("on");
    const found = caseOf(point);
    const lines = engines(point).map((e) => `${data.engines[e]}: ${say(found.runs[e])}`);
    hint.textContent = [found.name, ...lines].join("\n");
    const box = point.getBoundingClientRect();
    const left = Math.min(box.right + 8, document.documentElement.clientWidth - hint.offsetWidth - 4);
    hint.style.left = Math.max(4, left) + scrollX + "px";
    const above = box.top - hint.offsetHeight - 8;
    hint.style.top = (above > 0 ? above : box.bottom + 8) + scrollY + "px";
  }

  function element(name, text, parent, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    parent.append(made);
    return made;
  }

  function open(point) {
    const found = caseOf(point);
    const first = engines(point);
    const rest = data.engines.map((_, e) => e).filter((e) => !first.includes(e));
    panel.replaceChildren();
    element("h2", found.name, panel);
    element("button", "close", panel, "close").onclick = () => { panel.hidden = true; };
    if (found.formula) element("p", found.formula, panel);
    element("p", found.answer + (found.group ? ` · ${found.group}` : ""), panel);
    for (const e of [...first, ...rest]) {
      const run = found.runs[e];
      if (!run) continue;
      const line = element("p", "", panel);
      element("strong", data.engines[e], line);
      line.append(": " + say(run) + " ");
      const code = element("code", run[3], panel);
      if (navigator.clipboard) {
        const copy = element("button", "copy", line);
        copy.onclick = () => navigator.clipboard.writeText(code.textContent).then(() => { copy.textContent = "copied"; });
      }
    }
    panel.hidden = false;
    panel.scrollTop = 0;
  }

  const pointAt = (event) => event.target.closest("path[data-c]");
  document.addEventListener("pointerover", (event) => show(pointAt(event)));
  document.addEventListener("click", (event) => {
    const point = pointAt(event);
    if (point) { show(point); open(point); }
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { show(null); panel.hidden = true; } });

  // A plot takes the focus as a whole; the arrow keys select its points from left to right.
  for (const svg of document.querySelectorAll("figure svg")) {
    let sorted = null;
    svg.tabIndex = 0;
    svg.addEventListener("blur", () => show(null));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" && on && svg.contains(on)) open(on);
      if (!step) return;
      event.preventDefault();
      sorted ??= [...svg.querySelectorAll("path[data-c]")]
        .map((point) => [point.getBBox().x, point])
        .sort((a, b) => a[0] - b[0])
        .map((pair) => pair[1]);
      if (!sorted.length) return;
      const at = sorted.indexOf(on);
      show(sorted[at < 0 ? 0 : (at + step + sorted.length) % sorted.length]);
    });
  }

  // A click on a head sorts by its column: numbers in descending order first, text from A to Z.
  for (const head of document.querySelectorAll("th")) {
    if (!head.textContent) continue;
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const body = head.closest("table").tBodies[0];
      const column = head.cellIndex;
      const numeric = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : numeric;
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const cell = row.cells[column];
        return numeric ? Number(cell.dataset.v ?? -Infinity) : cell.textContent;
      };
      const compare = (a, b) => numeric ? value(a) - value(b) : value(a).localeCompare(value(b), undefined, { numeric: true });
      for (const row of body.rows) row.classList.remove("first");
      body.append(...[...body.rows].sort((a, b) => down ? compare(b, a) : compare(a, b)));
    };
  }
})();
