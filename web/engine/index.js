// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file is the JavaScript side of the engine. It starts the program dist/engine.wasm, which does the
// work, and passes calls to it as JSON. If the program ends, this file starts it again. index.d.ts
// describes the functions.

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

/** A running program. It can use only a few parts of JavaScript, and no global object. */
class Program {
  #go;
  #call;
  #load;
  #stop;
  #output = "";
  ended = false;

  static async start(module) {
    const program = new Program();
    const scope = {
      Array, Date, Error, Math, Object, Promise, Reflect, Uint8Array, TextEncoder, TextDecoder,
      crypto: globalThis.crypto, performance: globalThis.performance,
      started(call, load, stop) {
        program.#call = call;
        program.#load = load;
        program.#stop = stop;
      },
    };
    const go = (program.#go = new (wasmExec(scope, startTimer))());
    scope.fs.writeSync = (_, bytes) => {
      program.#output = (program.#output + new TextDecoder().decode(bytes)).slice(-10_000);
      return bytes.length;
    };
    go.argv = ["engine", "started"];
    const end = (go.exit = () => program.#end());
    const instance = await WebAssembly.instantiate(module, go.importObject);
    go.run(instance).then(end, end);
    if (program.#call === undefined) {
      throw new Error(`the engine cannot start: ${program.#output}`);
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
    return this.#answer(() => this.#call(text));
  }

  /** Loads the file of a release. */
  load(release, bytes) {
    return this.#answer(() => this.#load(release, new Uint8Array(bytes)));
  }

  #answer(ask) {
    let answer;
    try {
      answer = ask();
    } catch (error) {
      this.#output += `\n${error}`;
      this.#end();
    }
    if (this.ended || typeof answer !== "string") {
      this.#end();
      const why = this.#output.match(/^(fatal error|panic|\w*Error): .*/m)?.[0] ?? this.#output;
      return refused("Internal", `the engine stopped, and the next call starts it again: ${why}`.trim());
    }
    return JSON.parse(answer);
  }

  stop() {
    if (!this.ended) {
      this.#stop();
      this.#end();
    }
  }

  /** Drops the program, so that no timer resumes it. */
  #end() {
    this.ended = true;
    for (const timer of this.#go._scheduledTimeouts.values()) {
      clearTimeout(timer);
    }
    this.#go._scheduledTimeouts.clear();
  }
}

/** Starts a timer for the program. The timer does not keep Node running. */
function startTimer(...args) {
  const timer = setTimeout(...args);
  timer.unref?.();
  return timer;
}

function refused(reason, message) {
  return { ok: false, errors: [{ message, reason }], warnings: [] };
}

/** The empty fields of each kind of result. */
const empty = {
  kinds: () => ({ kinds: [] }),
  apply: () => ({ changed: false, conflicts: [], resolved: [], immutable: [], defaulted: [], onlyServer: [], staying: [] }),
  update: () => empty.apply(),
  diff: () => ({ ...empty.apply(), differences: [], unified: "" }),
  owners: () => ({ managers: [], lines: [], places: [], lost: [] }),
  conflicts: () => ({ conflicts: [] }),
  validate: () => ({}),
  migrate: () => ({ changed: false, transfers: [] }),
  schema: () => ({}),
};

class Engine {
  version = version;
  releases;
  defaultRelease;
  #module;
  #program;
  #closed = false;
  #read;
  #files = new Map();
  #inner = { running: () => this.#running(), file: (release) => this.#file(release) };
  #abandoned = new FinalizationRegistry((state) => state.free());

  static async load(options) {
    const engine = new Engine();
    engine.#module = await compile(options.wasm);
    engine.#read = options.read ?? ((name) => readFile(new URL(`./dist/${name}`, import.meta.url)));
    const { releases, defaultRelease } = (await engine.#running()).call("info");
    engine.releases = Object.freeze(releases);
    engine.defaultRelease = defaultRelease;
    return engine;
  }

  async types(options = {}) {
    const state = new TypesState(this.#inner, options);
    const types = new Types(state, await state.create());
    this.#abandoned.register(types, state);
    return types;
  }

  close() {
    this.#closed = true;
    this.#program?.then((program) => program.stop(), () => {});
    this.#program = this.#module = undefined;
  }

  /** Returns the file of a release. If reading fails, the next call tries again. */
  #file(release) {
    let file = this.#files.get(release);
    if (!file) {
      file = Promise.resolve(`releases/${release}.gz`).then(this.#read);
      this.#files.set(release, file);
      file.catch(() => this.#files.delete(release));
    }
    return file;
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

/** Replaces the program when the engine is closed. Every call returns an error. */
const closed = { call: () => refused("Closed", "the engine is closed"), ended: true };

/** A set of types: its options, and its number in the running program. */
class TypesState {
  #engine;
  #options;
  #refused;
  #program;
  #number;
  #closed = false;

  constructor(engine, options) {
    this.#engine = engine;
    try {
      this.#options = JSON.parse(JSON.stringify(options));
    } catch (error) {
      this.#refused = refused("BadRequest", `the options are not plain data: ${error.message}`);
    }
  }

  /** Creates the set of types in the running program. */
  async create() {
    if (this.#refused) {
      return this.#refused;
    }
    for (;;) {
      const program = await this.#engine.running();
      const answer = program.call("types", 0, this.#options);
      if (!answer.load) {
        this.#program = program;
        this.#number = answer.types ?? 0;
        return answer;
      }
      for (const release of answer.load) {
        const loaded = await this.#load(program, release);
        if (!loaded.ok) {
          return loaded;
        }
      }
    }
  }

  async #load(program, release) {
    let file;
    try {
      file = await this.#engine.file(release);
    } catch (error) {
      return refused("Unavailable", `the types of Kubernetes ${release} cannot be read: ${error?.message ?? error}`);
    }
    return program.load(release, file);
  }

  async call(op, args) {
    if (this.#closed) {
      return refused("Closed", "the types were freed");
    }
    let program = await this.#engine.running();
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
