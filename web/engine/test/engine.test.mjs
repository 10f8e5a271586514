// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { load } from "@dovetail-ssa/engine";

const time = "2026-01-31T12:00:00Z";

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1"} # the program
`;

let engine, types;
before(async () => {
  engine = await load();
  types = await engine.types();
});
after(() => engine.close());

test("an engine knows its releases", () => {
  assert.ok(engine.releases.includes(engine.defaultRelease));
  assert.match(types.kubernetesVersion, /^v1\.\d+\.\d+$/);
});

test("apply creates an object", async () => {
  const done = await types.apply({ config: deployment, manager: "one", time });
  assert.equal(done.ok, true, JSON.stringify(done.errors));
  assert.equal(done.object.spec.replicas, 3);
  assert.equal(done.object.spec.template.spec.restartPolicy, "Always");
  assert.equal(done.object.metadata.managedFields[0].manager, "one");
  assert.ok(done.defaulted.some((d) => d.path === ".spec.template.spec.restartPolicy" && d.origin));
  assert.ok(done.onlyServer.includes(".metadata.uid"));
});

test("a conflict has three ways out, and each keeps its promise", async () => {
  const live = (await types.apply({ config: deployment, manager: "one", time })).object;
  const request = { config: deployment.replace("replicas: 3", "replicas: 5"), live, manager: "two", time };
  const found = await types.conflicts(request);
  assert.equal(found.ok, false);
  assert.equal(found.conflicts.length, 1);
  const [c] = found.conflicts;
  assert.deepEqual([c.path, c.manager, c.operation, c.yours, c.live, c.line], [".spec.replicas", "one", "Apply", 5, 3, 5]);
  assert.match(found.outcomes.yield.yaml, /# the program/);
  for (const [choice, replicas, owners] of [["force", 5, ["two"]], ["yield", 3, ["one"]], ["share", 3, ["one", "two"]]]) {
    for (const value of [true, [".spec.replicas"]]) {
      const done = await types.apply({ ...request, [choice]: value });
      assert.equal(done.ok, true, JSON.stringify(done.errors));
      assert.equal(done.object.spec.replicas, replicas);
      assert.deepEqual(done.resolved.map((r) => [r.path, r.choice]), [[".spec.replicas", choice]]);
      assert.deepEqual(done.object, c.outcomes[choice].object);
      const blamed = await types.owners({ live: done.object });
      const place = blamed.places.find((p) => p.path === ".spec.replicas");
      assert.deepEqual(place.owners.map((i) => blamed.managers[i].manager).sort(), owners);
    }
  }
});
