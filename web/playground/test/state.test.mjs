// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { checked, decode, encode, maxManagers, maxSteps, newState } from "../src/state.js";

test("a link holds the whole state", async () => {
  const state = newState();
  state.live = "kind: Größe 😀\n";
  state.managers = [{ name: "a", op: "update", config: "x: 1", force: [".x"] }, { name: "b", op: "apply", config: "", force: [] }];
  state.steps = [{ manager: "a", op: "apply", config: "x: 2", force: true }];
  state.types.immutability = true;
  state.at = 1;
  state.tab = "types";
  const link = await encode(state);
  assert.match(link, /^1[A-Za-z0-9_-]+$/);
  assert.deepEqual(await decode(link), state);
});

test("a damaged link is an error", async () => {
  const link = await encode({ ...newState(), live: "a".repeat(1000) + Math.random() });
  for (const bad of ["x", "1", "1%%%", "1AAAA", link.slice(0, -8), "2" + link.slice(1)]) {
    await assert.rejects(decode(bad), /link/, bad);
  }
});

test("a link that expands without end is an error", async () => {
  const link = await encode({ ...newState(), live: "a".repeat(64 << 20) });
  assert.ok(link.length < 200_000);
  await assert.rejects(decode(link), /link/);
});

test("a state from anywhere has only valid parts", () => {
  const empty = newState();
  for (const bad of [null, 1, "x", [], {}, { managers: "x", steps: {}, types: 7, at: -1, tab: 99, live: {} }]) {
    assert.deepEqual(checked(bad), empty);
  }
  const many = checked({ managers: Array(9).fill({ name: "a" }), steps: Array(1000).fill({ manager: "a" }), at: 5000 });
  assert.equal(many.managers.length, maxManagers);
  assert.equal(many.steps.length, maxSteps);
  assert.equal(many.at, maxSteps);
  assert.deepEqual(checked({ managers: [{ name: 5, op: "delete", config: null, force: [1, ".a"] }] }).managers, [{ name: "", op: "apply", config: "", force: [".a"] }]);
});
