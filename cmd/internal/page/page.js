"use strict";
// The arrow keys step through the lines of an object. The Tab key reaches one line of each object. Below
// the page are details about the line in focus. Users can search the index.
(() => {
  const find = document.getElementById("find");
  if (find) {
    const rows = [...document.querySelectorAll(".index tbody tr")];
    const count = document.getElementById("count");
    let texts;
    const search = () => {
      texts ??= rows.map((row) => row.textContent.toLowerCase());
      const words = find.value.toLowerCase().split(/\s+/);
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        if (!row.hidden) shown++;
      });
      count.textContent = `${shown} of ${rows.length} objects`;
    };
    find.closest("search").hidden = false;
    if (find.value) search(); // the browser may have kept the old text
    find.addEventListener("input", search);
    find.addEventListener("keydown", (event) => {
      const first = event.key === "Enter" && rows.find((row) => !row.hidden);
      if (first) first.querySelector("a").focus();
    });
    for (const link of document.querySelectorAll(".find")) {
      link.addEventListener("click", () => {
        find.value = link.textContent;
        search();
        find.focus();
      });
    }
  }

  const details = document.getElementById("details");
  const tables = document.querySelectorAll("table.lines");
  const visible = (row) => row.offsetParent !== null;

  const enter = (table, row) => {
    const before = table.querySelector("tr[tabindex='0']");
    if (before) before.tabIndex = -1;
    row.tabIndex = 0;
  };
  const focus = (row) => {
    if (!row.hasAttribute("tabindex")) row.tabIndex = -1;
    row.focus();
  };
  const next = (row, by) => {
    let found = row;
    for (let r = row; by !== 0 && (r = by > 0 ? r.nextElementSibling : r.previousElementSibling); ) {
      if (!visible(r)) continue;
      found = r;
      by += by > 0 ? -1 : 1;
    }
    return found;
  };
  const describe = (row) => {
    const managers = row.closest(".object").querySelectorAll(".managers tbody tr:has(.mark:not(.none))");
    const text = [row.dataset.path || row.querySelector(".yaml").textContent.trim()];
    for (const name of row.classList) {
      const owner = /^o(\d+)$/.exec(name);
      if (!owner) continue;
      const cells = [...managers[+owner[1]].querySelectorAll("th, td")].slice(1).map((c) => c.textContent.trim().replace(/\s+/g, " "));
      text.push(cells.filter((c) => c).join(" · "));
    }
    const note = row.querySelector(".who i");
    if (note) text.push(note.textContent);
    details.textContent = text.join("\n");
    details.hidden = false;
  };

  for (const table of tables) {
    const first = table.querySelector("tr.line");
    if (!first) continue;
    first.tabIndex = 0;
    table.addEventListener("keydown", (event) => {
      const row = event.target.closest("tr.line");
      if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
      if (event.key === "Escape") {
        details.hidden = true;
        return;
      }
      if (!(event.key in steps)) return;
      event.preventDefault();
      focus(next(row, steps[event.key]));
    });
    table.addEventListener("click", (event) => {
      const row = event.target.closest("tr.line");
      if (row && !String(getSelection())) focus(row);
    });
    table.addEventListener("focusin", (event) => {
      const row = event.target.closest("tr.line");
      if (!row) return;
      enter(table, row);
      describe(row);
    });
  }
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".filter")) return;
    const object = event.target.closest(".object");
    const now = object.querySelector("tr[tabindex='0']");
    if (now && !visible(now)) {
      const other = [...object.querySelectorAll("tr.line")].find(visible);
      if (other) enter(object.querySelector("table.lines"), other);
    }
    details.hidden = true;
  });
})();
