// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Every example runs with the engine that build.mjs has built. The results match the example's text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { load } from "../../engine/index.js";
import { examples } from "../examples.mjs";
import { Simulation, answer } from "../src/simulation.js";
import { checked } from "../src/state.js";

let engine;
let simulation;
before(async () => {
  engine = await load();
  simulation = new Simulation(engine);
});
after(() => engine.close());

/** The answers to the last requests of the first group of examples. */
const answers = { conflict: 409, autoscaler: 409, removed: 200, "list-keys": 200, "custom-resource": 409 };

test("ids are unique", () => {
  const ids = examples().map((e) => e.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.length > 15);
});

for (const example of examples()) {
  test(example.id, async () => {
    const state = checked(example.state);
    const types = await simulation.types(state.types);
    assert.deepEqual(types.errors, []);
    const entries = await simulation.run(state);
    const { object } = entries.at(-1);
    const owners = await simulation.owners(state, object);
    assert.deepEqual(owners.errors, []);
    if (!example.want) {
      assert.ok(entries.slice(1).every((e) => e.result.ok), "a step is refused");
      const m = state.managers[state.tab];
      const step = { manager: m.name, op: m.op, config: m.config, force: m.force };
      const preview = await simulation.preview(state, step, object);
      assert.equal(answer(step, preview).code, answers[example.id]);
      return;
    }
    // Compare with the results in the specification.
    example.want.refused.forEach((refused, i) => assert.equal(!entries[i + 1].result.ok, refused && state.steps[i].force !== true, `step ${i + 1}`));
    if (example.want.object) {
      const { apiVersion, kind, metadata, creator, ...fields } = typeof object === "string" ? parse(object) : object;
      assert.deepEqual(fields, example.want.object);
    }
    for (const [manager, paths] of Object.entries(example.want.owners ?? {})) {
      const i = owners.managers.findIndex((m) => m.manager === manager);
      const owned = [...owners.places.filter((p) => p.standing === "owned" && p.owners.includes(i)), ...owners.lost.filter((l) => l.manager === i)].map((p) => p.path);
      const ours = owned.filter((path) => !/^\.(apiVersion|kind|metadata)\b/.test(path));
      assert.deepEqual(ours.sort(), [...paths].sort(), manager);
    }
  });
}
