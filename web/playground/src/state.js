// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// The state of the page, and its form in the fragment of the URL. A fragment stays in the browser:
// it is not sent to a server.

/** The most managers that the page shows. */
export const maxManagers = 4;

/** The most steps in the timeline. */
export const maxSteps = 100;

export function newState() {
  return {
    title: "",
    about: "",
    /** The live object at the start as YAML. Empty if the object does not exist. */
    live: "",
    /** The managers with their configs, and the paths at which the next request forces conflicts. */
    managers: [{ name: "web", op: "apply", config: "", force: [] }],
    types: { release: "", crds: "", schema: "", type: "", declarativeDefaults: false, immutability: false },
    /** The requests so far: manager, op, config, and the forced paths, or true for all. */
    steps: [],
    /** The number of steps that are done. The page shows the object after them. */
    at: 0,
    /** What the left side shows: "live", "types", or the index of a manager. */
    tab: 0,
  };
}

/** Returns text for the fragment of a URL. */
export async function encode(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  let binary = "";
  for (const b of bytes) {
    binary += String.fromCharCode(b);
  }
  return "1" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The largest state that decode accepts, in bytes. */
const maxBytes = 4 << 20;

/** Reads the fragment of a URL. Rejects if the fragment is not a state of this page. */
export async function decode(fragment) {
  if (!fragment.startsWith("1")) {
    throw new Error("The link is not one of this page. Open an example to start.");
  }
  let value;
  try {
    const binary = atob(fragment.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (c) => c.charCodeAt(0)));
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("The link is damaged or incomplete. Copy the whole link again.");
  }
  return checked(value);
}

/** Returns a state with the valid parts of value, which can come from anywhere. */
export function checked(value) {
  const state = newState();
  const given = object(value);
  state.title = text(given.title);
  state.about = text(given.about);
  state.live = text(given.live);
  const managers = list(given.managers).slice(0, maxManagers).map(request);
  if (managers.length > 0) {
    state.managers = managers.map(({ manager, ...m }) => ({ name: manager, ...m }));
  }
  const types = object(given.types);
  for (const key of Object.keys(state.types)) {
    state.types[key] = typeof state.types[key] === "boolean" ? types[key] === true : text(types[key]);
  }
  state.steps = list(given.steps).slice(0, maxSteps).map(request);
  state.at = Number.isInteger(given.at) ? Math.min(Math.max(given.at, 0), state.steps.length) : state.steps.length;
  const tab = given.tab;
  if (tab === "live" || tab === "types" || (Number.isInteger(tab) && tab >= 0 && tab < state.managers.length)) {
    state.tab = tab;
  }
  return state;
}

function request(value) {
  const v = object(value);
  return { manager: text(v.manager ?? v.name), op: v.op === "update" ? "update" : "apply", config: text(v.config), force: v.force === true || list(v.force).filter((p) => typeof p === "string") };
}

const text = (v) => (typeof v === "string" ? v : "");
const list = (v) => (Array.isArray(v) ? v : []);
const object = (v) => (typeof v === "object" && v !== null && !Array.isArray(v) ? v : {});

async function through(stream, bytes) {
  const writer = stream.writable.getWriter();
  // An error also reaches the reader below.
  writer.write(bytes).then(() => writer.close()).catch(() => {});
  const parts = [];
  let size = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw new Error("too large");
    }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
