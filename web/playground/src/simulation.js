// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file runs the requests of a state with the engine.

/** The time of the first step. Fixed times make a link show the same managed fields every time. */
const start = Date.UTC(2026, 0, 1);

/** Runs steps. It keeps the results of steps that have not changed. */
export class Simulation {
  #engine;
  #types = null;
  #typesKey = null;
  #done = [];

  constructor(engine) {
    this.#engine = engine;
  }

  /** Returns the types for the options in state.types. */
  types(options) {
    const key = JSON.stringify(options);
    if (key !== this.#typesKey) {
      this.#types?.then((types) => types.free());
      this.#typesKey = key;
      this.#types = this.#engine.types({
        ...(options.release && { kubernetesVersion: options.release }),
        ...(options.crds.trim() && { crds: options.crds }),
        ...(options.schema.trim() && { schema: options.schema, type: options.type }),
        proposals: { declarativeDefaults: options.declarativeDefaults, immutability: options.immutability },
      });
    }
    return this.#types;
  }

  /**
   * Returns the live object at the start, and the object after each step before state.at. A step that
   * fails does not change the object. Its entry holds the result of the request.
   */
  async run(state) {
    const types = await this.types(state.types);
    const entries = [{ key: JSON.stringify([state.types, state.live]), object: state.live.trim() ? state.live : null, result: null }];
    for (const [i, step] of state.steps.slice(0, state.at).entries()) {
      const before = entries[i];
      const key = JSON.stringify([before.key, step]);
      const known = this.#done[i + 1];
      if (known?.key === key) {
        entries.push(known);
        continue;
      }
      const result = await request(types, step, before.object, i);
      entries.push({ key, object: result.object ?? before.object, result });
    }
    // If another call has replaced the types meanwhile, they return errors.
    if (types === (await this.#types)) {
      this.#done = entries;
    }
    return entries;
  }

  /** Predicts the result of step for object. */
  async preview(state, step, object) {
    const types = await this.types(state.types);
    const result = await request(types, step, object, state.at);
    if (step.op === "apply" && result.ok) {
      const { differences } = await types.diff(arguments_(step, object, state.at));
      return { ...result, differences };
    }
    return { ...result, differences: [] };
  }

  async owners(state, object) {
    const types = await this.types(state.types);
    return types.owners({ live: object });
  }
}

/** Reports whether a step forces conflicts. */
export function forces(step) {
  return step.op === "apply" && (step.force === true || step.force.length > 0);
}

function arguments_(step, object, i) {
  return {
    [step.op === "update" ? "object" : "config"]: step.config,
    live: object,
    manager: step.manager,
    time: new Date(start + i * 60_000).toISOString(),
    ...(forces(step) && { force: step.force }),
  };
}

function request(types, step, object, i) {
  const args = arguments_(step, object, i);
  return step.op === "update" ? types.update(args) : types.apply(args);
}

/** The names of the HTTP statuses of an API server. */
const names = { 200: "OK", 201: "Created", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 409: "Conflict", 422: "Invalid", 500: "Internal Server Error" };

/** Describes a server's answer to a request by a status and a sentence. code is 0 if the HTTP status is unknown. */
export function answer(step, result) {
  const code = result.status ?? 0;
  const name = code === 0 ? "" : [code, names[code]].filter(Boolean).join(" ");
  if (result.conflicts.length > 0) {
    const n = result.conflicts.length;
    return { code, kind: "conflict", text: `${name}: ${n} ${n === 1 ? "field belongs" : "fields belong"} to other managers` };
  }
  if (!result.ok) {
    return { code, kind: "error", text: name };
  }
  if (code === 201) {
    return { code, kind: "ok", text: `${name} by ${step.manager}` };
  }
  return { code, kind: "ok", text: result.changed ? `${name}: ${step.manager} changes the object` : `${name}: nothing changes` };
}
