// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import { load } from "@dovetail-ssa/engine";
import { stringify } from "yaml";
import { el } from "./dom.js";
import { createEditor } from "./editor.js";
import * as view from "./result.js";
import { Simulation, answer, forces } from "./simulation.js";
import { checked, decode, encode, maxManagers, maxSteps, newState } from "./state.js";

const byId = (id) => document.getElementById(id);
const examples = await (await fetch("examples.json")).json();

let state = newState();
let engine = null;
let simulation = null;
let editors = [];
let shown = { entries: [], preview: null };
let running = 0;
let lastFragment = null;
/** A message about a link that cannot be read, or "". */
let linkError = "";

// ---- The URL

/** Writes the state to the URL, as a new entry in the browser's history or instead of the last one. */
async function save(isNew) {
  const fragment = await encode(state);
  if (fragment !== lastFragment) {
    lastFragment = fragment;
    history[isNew ? "pushState" : "replaceState"](null, "", `#${fragment}`);
  }
}

/** Returns the state of a case of the specification, such as set-001, or undefined. */
async function caseState(id) {
  const group = id.match(/^([a-z-]+)-\d+$/)?.[1];
  const response = group && await fetch(`cases/${group}.json`);
  if (!response?.ok) {
    return undefined;
  }
  const { types, cases } = await response.json();
  return cases[id] && { types, ...cases[id] };
}

async function open() {
  const fragment = location.hash.slice(1);
  if (fragment === lastFragment) {
    return;
  }
  lastFragment = fragment;
  linkError = "";
  try {
    const example = examples.find((e) => e.id === fragment)?.state ?? await caseState(fragment);
    state = example ? checked(example) : fragment ? await decode(fragment) : checked(examples[0].state);
  } catch (error) {
    state = newState();
    linkError = error.message;
  }
  drawInputs();
  await update();
}

addEventListener("hashchange", open);
addEventListener("popstate", open);

// ---- The left side

function drawInputs() {
  const about = byId("about");
  byId("example").value = examples.find((e) => e.state.title === state.title)?.id ?? "";
  about.hidden = !state.about;
  about.replaceChildren(...(state.title ? [el("h2", {}, state.title)] : []), ...state.about.split(/\n\n+/).map((p) => el("p", {}, p)));
  const tabs = [
    ["live", "Live object"],
    ...state.managers.map((m, i) => [i, m.name || "(no name)"]),
    ["types", "Types"],
  ];
  const buttons = tabs.map(([tab, name]) => el("button", {
    type: "button", role: "tab", id: `tab-${tab}`, "aria-selected": String(state.tab === tab), "aria-controls": "panel",
    tabindex: state.tab === tab ? "0" : "-1", click: () => select(tab),
  }, name));
  byId("tabs").replaceChildren(...buttons);
  byId("add").disabled = state.managers.length >= maxManagers;
  drawPanel();
}

byId("tabs").addEventListener("keydown", (event) => {
  const buttons = [...byId("tabs").querySelectorAll("[role=tab]")];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (at >= 0 && to !== undefined) {
    event.preventDefault();
    const button = buttons[(to + buttons.length) % buttons.length];
    button.click();
    byId(button.id).focus();
  }
});

function select(tab) {
  state.tab = tab;
  drawInputs();
  update();
}

function addManager() {
  state.managers.push({ name: `manager-${state.managers.length + 1}`, op: "apply", config: state.managers[0].config, force: [] });
  select(state.managers.length - 1);
  byId("manager-name").select();
}

function drawPanel() {
  editors.forEach((e) => e.destroy());
  editors = [];
  const panel = byId("panel");
  panel.setAttribute("aria-labelledby", `tab-${state.tab}`);
  if (state.tab === "types") {
    panel.replaceChildren(...typesPanel());
    addEditor(byId("crds"), "crds", "CustomResourceDefinitions as YAML", state.types.crds, (text) => { state.types.crds = text; });
    addEditor(byId("schema"), "schema", "Schema as YAML", state.types.schema, (text) => { state.types.schema = text; });
  } else if (state.tab === "live") {
    panel.replaceChildren(el("p", {}, "This is the object before all requests, with its managed fields. Leave it empty if the object does not exist yet."), el("div", { id: "editor", class: "editor" }));
    addEditor(byId("editor"), "live", "Live object as YAML", state.live, (text) => { state.live = text; });
  } else {
    const m = state.managers[state.tab];
    panel.replaceChildren(
      el("div", { class: "bar" },
        el("label", {}, "Manager ", el("input", { id: "manager-name", value: m.name, spellcheck: "false", autocomplete: "off", input: (e) => { m.name = e.target.value; byId(`tab-${state.tab}`).textContent = m.name || "(no name)"; later(); } })),
        el("label", {}, "Request ", el("select", { change: (e) => { m.op = e.target.value; byId("send").textContent = m.op === "apply" ? "Apply" : "Update"; update(); } },
          el("option", { value: "apply", selected: m.op === "apply" }, "apply"),
          el("option", { value: "update", selected: m.op === "update" }, "update"))),
        el("button", { id: "send", class: "main", type: "button", click: send }, m.op === "apply" ? "Apply" : "Update"),
        state.managers.length > 1 && el("button", { type: "button", "aria-label": `Remove the manager ${m.name}`, click: () => { state.managers.splice(state.tab, 1); select(Math.max(0, state.tab - 1)); } }, "Remove")),
      el("div", { id: "editor", class: "editor" }));
    addEditor(byId("editor"), m.op === "update" ? "object" : "config", `Config of ${m.name} as YAML`, m.config, (text) => { m.config = text; m.force = []; });
  }
}

function addEditor(parent, source, label, text, set) {
  const editor = createEditor(parent, { label, text, changed: (text) => { set(text); later(); } });
  editors.push({ source, ...editor });
}

function typesPanel() {
  const t = state.types;
  const flag = (key, label) => el("label", { class: "flag" }, el("input", { type: "checkbox", checked: t[key], change: (e) => { t[key] = e.target.checked; update(); } }), ` ${label}`);
  return [
    el("div", { class: "bar" }, el("label", {}, "Kubernetes ", el("select", { id: "release", change: (e) => { t.release = e.target.value; update(); } },
      ["", ...(engine?.releases ?? [])].map((r) => el("option", { value: r, selected: r === t.release }, r || `newest (${engine?.defaultRelease ?? ""})`))))),
    el("fieldset", {}, el("legend", {}, "Proposals that no released server implements"),
      flag("declarativeDefaults", "KEP-1929: use the defaults of the schema in merges and conflicts"),
      flag("immutability", "KEP-1101: markers such as x-kubernetes-immutable forbid changes")),
    el("h3", {}, "CustomResourceDefinitions"),
    el("div", { id: "crds", class: "editor" }),
    el("h3", {}, "A schema of structured-merge-diff, instead of all other types"),
    el("label", {}, "Type of the objects ", el("input", { value: t.type, spellcheck: "false", input: (e) => { t.type = e.target.value; later(); } })),
    el("div", { id: "schema", class: "editor" }),
  ];
}

// ---- Requests

/** Returns the request of the manager whose tab is open, or null. */
function request() {
  const m = state.managers[state.tab];
  return m && m.config.trim() ? { manager: m.name, op: m.op, config: m.config, force: m.force } : null;
}

/** Sends the request of the manager whose tab is open. */
async function send() {
  const step = request();
  if (step === null || state.at >= maxSteps) {
    return;
  }
  state.steps.length = state.at;
  state.steps.push(step);
  state.at++;
  state.managers[state.tab].force = [];
  await update(true);
}

async function choose(choice, conflict) {
  const m = state.managers[state.tab];
  const { preview } = shown;
  if (choice === "force") {
    m.force = [...(m.force === true ? [] : m.force), ...(conflict === null ? preview.conflicts : [conflict]).map((c) => c.path)];
    // If other conflicts remain, the server would still reject the request.
    await (conflict === null || preview.conflicts.length === 1 ? send() : update());
    return;
  }
  const outcome = (conflict ?? preview).outcomes[choice];
  m.config = outcome.yaml ?? stringify(outcome.config);
  editors[0]?.set(m.config);
  await update();
}

function go(at) {
  state.at = at;
  update(true);
}

// ---- The right side

let timer;

/** Updates the page after the user has stopped typing. */
function later() {
  clearTimeout(timer);
  timer = setTimeout(update, 200);
}

async function update(isNew = false) {
  clearTimeout(timer);
  linkError = isNew === true ? "" : linkError;
  const run = ++running;
  await save(isNew === true);
  if (simulation === null) {
    return;
  }
  const types = await simulation.types(state.types);
  const entries = await simulation.run(state);
  const current = entries.at(-1);
  const step = request();
  const preview = step === null || types.errors.length > 0 ? null : await simulation.preview(state, step, current.object);
  const object = preview?.ok && preview.object ? preview.object : current.object;
  const owners = object === null ? null : await simulation.owners(state, object);
  if (run !== running) {
    return; // A newer update has started.
  }
  shown = { entries, preview };
  drawTimeline(entries);
  drawResult({ types, current, step, preview, object, owners });
}

function drawTimeline(entries) {
  const steps = [el("li", {}, chip(0, state.live.trim() ? "live object" : "nothing", null))];
  state.steps.forEach((s, i) => {
    const result = entries[i + 1]?.result;
    steps.push(el("li", {}, chip(i + 1, `${i + 1}: ${s.manager} ${s.op === "update" ? "updates" : forces(s) ? "forces" : "applies"}`, result)));
  });
  byId("timeline").replaceChildren(
    el("button", { type: "button", disabled: state.at === 0, click: () => go(state.at - 1) }, "Back"),
    el("ol", {}, steps),
    el("button", { type: "button", disabled: state.at === state.steps.length, click: () => go(state.at + 1) }, "Forward"));
}

function chip(at, name, result) {
  const failed = result !== null && result !== undefined && !result.ok;
  return el("button", { type: "button", class: failed ? "chip failed" : "chip", "aria-current": state.at === at ? "step" : null, click: () => go(at) }, failed ? `${name}: refused` : name);
}

function drawResult({ types, current, step, preview, object, owners }) {
  const last = state.at > 0 ? state.steps[state.at - 1] : null;
  // Directly after a request, show its result. After that, show what the next request would do.
  const lastFailed = current.result !== null && !current.result.ok;
  let status;
  if (types.errors.length > 0) {
    status = { kind: "error", text: "The types have errors" };
  } else if (preview !== null) {
    status = answer(step, preview);
    const what = status.kind === "error" ? `the request of ${step.manager} would be refused${status.code ? ` with ${status.text}` : ""}: see the errors below` : `${step.manager} would get ${status.text}`;
    status.text = last ? `After step ${state.at}, ${what}` : what[0].toUpperCase() + what.slice(1);
  } else {
    status = { kind: "ok", text: object === null ? "The object does not exist" : state.at === 0 ? "The live object" : `The object after step ${state.at}` };
  }
  byId("status").className = status.kind;
  byId("status").textContent = status.text;
  const result = preview ?? { errors: [], warnings: [], conflicts: [], immutable: [], differences: [] };
  const errors = [...types.errors, ...result.errors, ...(owners?.errors ?? []).filter((e) => !result.errors.some((r) => r.message === e.message))];
  const warnings = [...types.warnings, ...result.warnings];
  const name = (source) => ({ live: "live object", config: step?.manager, object: step?.manager, crds: "CRDs", schema: "schema" })[source?.replace(/\[.*/, "")] ?? source;
  byId("problems").replaceChildren(
    linkError ? el("p", { class: "problem" }, linkError) : "",
    lastFailed ? el("p", { class: "problem" }, `Step ${state.at} was refused, so the object is unchanged.`) : "",
    view.problems(errors, warnings, name), view.immutable(result.immutable));
  byId("conflicts").replaceChildren(view.conflicts(result, step?.manager ?? "", choose));
  const changed = (result.differences ?? []).map((d) => d.path);
  byId("object").replaceChildren(...(owners?.ok
    ? view.object(owners, typeof object === "string" ? "" : stringify(object.metadata?.managedFields ?? []), changed, state.managers.map((m) => m.name))
    : []));
  for (const editor of editors) {
    const mine = (list, severity) => list.filter((p) => (p.source ?? "").replace(/\[.*/, "") === editor.source).map((p) => ({ line: p.line, column: p.column, severity, text: p.path ? `${p.path}: ${p.message}` : p.message }));
    const conflicts = editor.source === "config" ? result.conflicts.map((c) => ({ line: c.line, column: c.column, severity: "warning", text: `${c.path}: conflict with ${c.manager}` })) : [];
    editor.mark([...mine(errors, "error"), ...mine(warnings, "warning"), ...conflicts]);
  }
  const send = byId("send");
  if (send) {
    send.disabled = step === null;
  }
}

// ---- The header

const groups = Map.groupBy?.(examples, (e) => e.group) ?? examples.reduce((m, e) => m.set(e.group, [...(m.get(e.group) ?? []), e]), new Map());
byId("example").append(el("option", { value: "" }, "choose…"), ...[...groups].map(([group, list]) =>
  el("optgroup", { label: group }, list.map((e) => el("option", { value: e.id }, e.state.title)))));
byId("example").addEventListener("change", async (event) => {
  const example = examples.find((e) => e.id === event.target.value);
  if (example) {
    state = checked(example.state);
    drawInputs();
    await update(true);
  }
});
byId("add").addEventListener("click", addManager);
byId("share").addEventListener("click", async () => {
  await save(false);
  try {
    await navigator.clipboard.writeText(location.href);
    byId("copied").textContent = "Copied.";
  } catch {
    byId("copied").textContent = "The browser does not allow copying. Copy the address of this page instead.";
  }
  setTimeout(() => { byId("copied").textContent = ""; }, 4000);
});
byId("reset").addEventListener("click", () => {
  state = newState();
  drawInputs();
  update(true);
});

await open();
try {
  engine = await load({
    wasm: fetch("engine.wasm"),
    read: async (name) => {
      const response = await fetch(name);
      if (!response.ok) {
        throw new Error(`${name}: ${response.status} ${response.statusText}`);
      }
      return new Uint8Array(await response.arrayBuffer());
    },
  });
  simulation = new Simulation(engine);
  drawInputs();
  await update();
} catch (error) {
  byId("status").className = "error";
  byId("status").textContent = `The engine could not be loaded: ${error.message}`;
}
