// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// The JavaScript side of the engine. The program in dist/engine.wasm does the work: this file starts it,
// passes calls to it as JSON, and starts it again if it ends. index.d.ts describes the functions.

import wasmExec from "./dist/wasm_exec.js";
import { version } from "./dist/version.js";

const isNode = typeof process === "object" && typeof process.versions?.node === "string";

/** Reads a file of this package. */
async function readFile(url) {
  if (isNode && url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: the server answered ${response.status} ${response.statusText}`.trim());
  }
  return new Uint8Array(await response.arrayBuffer());
}

/** Compiles the program. */
async function compile(wasm) {
  const given = await (wasm ?? new URL("./dist/engine.wasm", import.meta.url));
  if (given instanceof WebAssembly.Module) {
    return given;
  }
  if (typeof Response === "function" && given instanceof Response) {
    return WebAssembly.compile(await given.arrayBuffer());
  }
  if (typeof given === "string" && isNode && !/^[a-z][a-z0-9+.-]+:/i.test(given)) {
    const { pathToFileURL } = await import("node:url");
    return WebAssembly.compile(await readFile(pathToFileURL(given)));
  }
  if (typeof given === "string" || given instanceof URL) {
    return WebAssembly.compile(await readFile(new URL(given, isNode ? undefined : globalThis.location?.href)));
  }
  return WebAssembly.compile(given);
}

/** A running program. It sees only the parts of JavaScript that it needs, and no global object. */
class Program {
  #call;
  #stop;
  #output = "";
  ended = false;

  static async start(module) {
    const program = new Program();
    const scope = {
      Array, Date, Error, Math, Object, Promise, Reflect, Uint8Array, TextEncoder, TextDecoder,
      crypto: globalThis.crypto, performance: globalThis.performance,
      started(call, stop) {
        program.#call = call;
        program.#stop = stop;
      },
    };
    const go = new (wasmExec(scope))();
    scope.fs.writeSync = (_, bytes) => {
      program.#output = (program.#output + new TextDecoder().decode(bytes)).slice(-10_000);
      return bytes.length;
    };
    go.argv = ["engine", "started"];
    go.exit = () => {
      program.ended = true;
    };
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const end = () => {
      program.ended = true;
    };
    go.run(instance).then(end, end);
    if (program.#call === undefined) {
      throw new Error(`the engine does not start: ${program.#output}`);
    }
    return program;
  }

  call(op, types, args) {
    let text;
    try {
      text = JSON.stringify({ op, types, args });
    } catch (error) {
      return refused("BadRequest", `the arguments are not plain data: ${error.message}`);
    }
    let answer;
    try {
      answer = this.#call(text);
    } catch (error) {
      this.ended = true;
      this.#output += error;
    }
    if (this.ended || typeof answer !== "string") {
      this.ended = true;
      const why = this.#output.match(/^(fatal error|panic|\w*Error): .*/m)?.[0] ?? this.#output;
      return refused("Internal", `the engine ended and starts again with the next call: ${why}`.trim());
    }
    return JSON.parse(answer);
  }

  stop() {
    if (!this.ended) {
      this.ended = true;
      this.#stop();
    }
  }
}

function refused(reason, message) {
  return { ok: false, errors: [{ message, reason }], warnings: [] };
}

/** The fields of each result when there is nothing in them. */
const empty = {
  kinds: () => ({ kinds: [] }),
  apply: () => ({ changed: false, conflicts: [], resolved: [], immutable: [], defaulted: [], onlyServer: [], staying: [] }),
  update: () => empty.apply(),
  diff: () => ({ ...empty.apply(), differences: [], unified: "" }),
  owners: () => ({ managers: [], lines: [], places: [], lost: [] }),
  conflicts: () => ({ conflicts: [] }),
  validate: () => ({}),
  migrate: () => ({ changed: false, handovers: [] }),
  schema: () => ({}),
};

class Engine {
  version = version;
  releases;
  defaultRelease;
  #module;
  #program;
  #closed = false;
  #abandoned = new FinalizationRegistry((state) => state.free());

  static async load(options) {
    const engine = new Engine();
    engine.#module = await compile(options.wasm);
    const { releases, defaultRelease } = (await engine.#running()).call("info");
    engine.releases = Object.freeze(releases);
    engine.defaultRelease = defaultRelease;
    return engine;
  }

  async types(options = {}) {
    const state = new TypesState(() => this.#running(), options);
    const types = new Types(state, await state.create());
    this.#abandoned.register(types, state);
    return types;
  }

  close() {
    this.#closed = true;
    this.#program?.then((program) => program.stop(), () => {});
    this.#program = this.#module = undefined;
  }

  /** Returns the program. It starts the program if it has ended. */
  async #running() {
    if (this.#closed) {
      return closed;
    }
    this.#program ??= Program.start(this.#module);
    let program = await this.#program;
    if (program.ended && !this.#closed) {
      this.#program = Program.start(this.#module);
      program = await this.#program;
    }
    return program;
  }
}

/** Takes the place of a program when an engine is closed. */
const closed = { call: () => refused("Closed", "the engine is closed"), ended: true };

/** The options of a set of types, and its number in the program that runs. */
class TypesState {
  #running;
  #options;
  #program;
  #number;
  #closed = false;

  constructor(running, options) {
    this.#running = running;
    try {
      this.#options = JSON.parse(JSON.stringify(options));
    } catch (error) {
      this.#options = undefined;
      this.failed = refused("BadRequest", `the options are not plain data: ${error.message}`);
    }
  }

  /** Creates the types in the program that runs, unless it has them. */
  async create() {
    if (this.failed) {
      return this.failed;
    }
    const program = await this.#running();
    const answer = program.call("types", 0, this.#options);
    this.#program = program;
    this.#number = answer.types ?? 0;
    return answer;
  }

  async call(op, args) {
    if (this.#closed) {
      return refused("Closed", "the types are freed");
    }
    let program = await this.#running();
    if (program !== this.#program || !this.#number) {
      const answer = await this.create();
      if (!answer.ok) {
        return { ok: false, errors: answer.errors, warnings: answer.warnings };
      }
      program = this.#program;
    }
    return program.call(op, this.#number, args);
  }

  free() {
    this.#closed = true;
    if (this.#number && !this.#program.ended) {
      this.#program.call("free", this.#number);
    }
  }
}

class Types {
  errors;
  warnings;
  kubernetesVersion;
  #state;

  constructor(state, answer) {
    this.#state = state;
    this.errors = Object.freeze(answer.errors);
    this.warnings = Object.freeze(answer.warnings);
    this.kubernetesVersion = answer.kubernetesVersion ?? "";
  }

  async #call(op, args) {
    try {
      return { ...empty[op](), ...(await this.#state.call(op, args)) };
    } catch (error) {
      return { ...empty[op](), ...refused("Internal", String(error?.message ?? error)) };
    }
  }

  kinds() { return this.#call("kinds"); }
  apply(request) { return this.#call("apply", request); }
  update(request) { return this.#call("update", request); }
  diff(request) { return this.#call("diff", request); }
  owners(request) { return this.#call("owners", request); }
  conflicts(request) { return this.#call("conflicts", request); }
  validate(request) { return this.#call("validate", request); }
  migrate(request) { return this.#call("migrate", request); }
  schema(request) { return this.#call("schema", request); }
  free() { this.#state.free(); }
}

export async function load(options = {}) {
  return Engine.load(options);
}
