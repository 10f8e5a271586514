// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file shows the right side of the page: problems, conflicts, and the object with its owners.

import { el } from "./dom.js";

/** Shows errors and warnings. */
export function problems(errors, warnings, names) {
  const item = (kind) => (p) => {
    const where = [names(p.source), p.line > 0 && `line ${p.line}`].filter(Boolean).join(", ");
    return el("li", { class: kind }, el("strong", {}, kind === "error" ? "Error" : "Warning"), where && ` (${where})`, ": ", p.path && [el("code", {}, p.path), ": "], p.message);
  };
  const all = [...errors.map(item("error")), ...warnings.map(item("warning"))];
  return all.length > 0 ? el("ul", { class: "problems" }, all) : "";
}

/** Shows forbidden changes of immutable fields. */
export function immutable(changes) {
  return changes.length === 0 ? "" : el("ul", { class: "problems" }, changes.map((c) =>
    el("li", { class: "error" }, el("code", {}, c.path), ` may not change from ${show(c.old)} to ${show(c.new)}. ${c.reason}`)));
}

const explanations = {
  force: (c, by) => `Overwrite the value. Then ${by} owns the field, and ${c.manager} no longer does.`,
  yield: (c) => `Leave the field out of your config. ${c.manager} keeps it.`,
  share: (c, by) => `Apply the value of ${c.manager}. Then ${by} and ${c.manager} own the field together.`,
};

/** Shows conflicts with the ways to resolve them. A button calls choose(choice, conflict). */
export function conflicts(result, by, choose) {
  if (result.conflicts.length === 0) {
    return "";
  }
  const several = result.conflicts.length > 1 && result.outcomes;
  return el("section", { class: "conflicts", "aria-label": "Conflicts" },
    result.conflicts.map((c) => el("article", { class: "conflict" },
      el("h3", {}, el("code", {}, c.path)),
      el("dl", {},
        el("dt", {}, by), el("dd", {}, el("code", {}, c.hasYours ? show(c.yours) : "absent")),
        el("dt", {}, owner(c)), el("dd", {}, el("code", {}, c.hasLive ? show(c.live) : "absent"))),
      c.note && el("p", {}, c.note),
      c.outcomes && waysOut(c.outcomes, c.path, (choice) => explanations[choice](c, by), (choice) => choose(choice, c)))),
    several && el("article", { class: "conflict" },
      el("h3", {}, "All conflicts"),
      waysOut(result.outcomes, "all conflicts", () => "", (choice) => choose(choice, null))));
}

function waysOut(outcomes, what, explain, choose) {
  return el("ul", { class: "ways" }, ["force", "yield", "share"].map((choice) => {
    const outcome = outcomes[choice];
    const possible = outcome.config !== null;
    return el("li", {},
      el("button", { type: "button", disabled: !possible, "aria-label": `${choice} ${what}`, click: () => choose(choice) }, choice),
      el("span", {}, possible ? explain(choice) : `Not possible: ${outcome.error}`),
      choice !== "force" && possible && outcome.yaml && el("details", {}, el("summary", {}, "Show the config to apply"), el("pre", { tabindex: "0" }, outcome.yaml)));
  }));
}

/**
 * Shows an object with the owners of each line in the margin. changed holds the paths that the
 * request changes or adds. names holds the managers of the page, so that each keeps its color.
 */
export function object(owners, yaml, changed, names) {
  const others = owners.managers.map((m) => m.manager).filter((name) => !names.includes(name));
  const colors = [...names, ...others];
  const color = (i) => `m${colors.indexOf(owners.managers[i].manager) % 6}`;
  const rows = owners.lines.map((line) => {
    const mine = line.owners.map((i) => el("span", { class: `owner ${color(i)}` }, owners.managers[i].manager));
    const isChanged = changed.some((path) => line.path === path || line.path.startsWith(`${path}.`) || line.path.startsWith(`${path}[`));
    return el("tr", { class: isChanged ? "changed" : "" },
      el("td", { class: "who" }, mine.length > 0 ? mine : el("span", { class: "note" }, line.note)),
      el("td", { class: "text" }, isChanged && el("span", { class: "hidden" }, "changed: "), el("code", {}, line.text)));
  });
  return [
    owners.managers.length > 0 && el("ul", { class: "managers", "aria-label": "Managers" }, owners.managers.map((m, i) =>
      el("li", {}, el("span", { class: `owner ${color(i)}` }, m.manager), ` ${m.operation}${m.subresource && ` ${m.subresource}`}, ${m.fields} ${m.fields === 1 ? "field" : "fields"}`))),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Object" }, el("table", { class: "object" },
      el("caption", { class: "hidden" }, "The object and the owners of its lines"),
      el("thead", { class: "hidden" }, el("tr", {}, el("th", { scope: "col" }, "Owners"), el("th", { scope: "col" }, "Line"))),
      el("tbody", {}, rows))),
    yaml && el("details", { class: "fields" }, el("summary", {}, "Managed fields"), el("pre", { tabindex: "0" }, yaml)),
  ].filter(Boolean);
}

function owner(c) {
  return `${c.manager}${c.operation === "Apply" ? "" : ` (${c.operation})`}`;
}

/** Returns a value on one line. */
export function show(value) {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
