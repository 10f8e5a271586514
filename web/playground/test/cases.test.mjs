// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Every case of the specification that the page can show has the expected result.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { load } from "../../engine/index.js";
import { caseGroups, expected, shown } from "../cases.mjs";
import { Simulation } from "../src/simulation.js";
import { checked } from "../src/state.js";

let engine;
let simulation;
before(async () => {
  engine = await load();
  simulation = new Simulation(engine);
});
after(() => engine.close());

for (const group of caseGroups().filter((g) => g.types)) {
  test(group.name, async () => {
    const wrong = [];
    for (const c of group.cases.filter((c) => c.state)) {
      const state = checked({ types: group.types, ...c.state });
      const types = await simulation.types(state.types);
      assert.deepEqual(types.errors, []);
      const [m] = state.managers;
      const { object } = (await simulation.run(state)).at(-1);
      const result = await simulation.preview(state, { manager: m.name, op: m.op, config: m.config, force: m.force }, object);
      try {
        assert.deepEqual(shown(result, c), expected(c));
      } catch (error) {
        wrong.push(`${c.id} ${c.about}: ${JSON.stringify(shown(result, c))} ${JSON.stringify(expected(c))} ${result.errors.map((e) => e.message)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}
