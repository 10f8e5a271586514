// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file defines the state of the page, and how it is encoded in the fragment of the URL. Browsers do
// not send a fragment to a server.

/** The maximum number of managers on the page. */
export const maxManagers = 4;

/** The maximum number of steps in the timeline. */
export const maxSteps = 100;

export function newState() {
  return {
    title: "",
    about: "",
    /** The live object at the start as YAML. It is empty if the object does not exist. */
    live: "",
    /** The managers with their configs. force lists the paths that the next request forces. */
    managers: [{ name: "web", op: "apply", config: "", force: [] }],
    types: { release: "", crds: "", schema: "", type: "", declarativeDefaults: false, immutability: false },
    /** The requests so far. Each has manager, op, config, and force: a list of paths, or true for all. */
    steps: [],
    /** The number of steps that have run. The page shows the object after these steps. */
    at: 0,
    /** The open tab on the left side: "live", "types", or the index of a manager. */
    tab: 0,
  };
}

/** Encodes a state as the fragment of a URL. */
export async function encode(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  let binary = "";
  for (const b of bytes) {
    binary += String.fromCharCode(b);
  }
  return "1" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The size in bytes of the largest state that decode accepts. */
const maxBytes = 4 << 20;

/** Decodes the fragment of a URL. It rejects if the fragment is not a state of this page. */
export async function decode(fragment) {
  if (!fragment.startsWith("1")) {
    throw new Error("This link was not made by this page. Open an example to start.");
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

/** Returns a state with the valid parts of value. value comes from a link, so it may be anything. */
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
  // The reader below gets this error, too.
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
