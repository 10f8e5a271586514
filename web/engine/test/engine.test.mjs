// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

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

test("there are three ways to resolve a conflict, and each has the promised result", async () => {
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

test("status is the HTTP status of a server", async () => {
  const object = (data, metadata = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data });
  const first = await types.apply({ config: object({ k: "1" }), manager: "one", time });
  assert.equal(first.status, 201);
  const live = { ...first.object, metadata: { ...first.object.metadata, resourceVersion: "7" } };
  const status = async (request) => (await types.apply({ live, manager: "two", time, ...request })).status;
  assert.equal(await status({ config: object({ l: "1" }) }), 200);
  assert.equal(await status({ config: object({ k: "2" }) }), 409);
  assert.equal(await status({ config: object({ k: "2" }), force: true }), 200);
  assert.equal(await status({ config: object({}, { resourceVersion: "6" }) }), 409);
  assert.equal(await status({ config: "a: [" }), undefined);
  assert.equal((await types.conflicts({ config: object({ k: "2" }), live, manager: "two" })).status, 409);
  assert.equal((await types.diff({ config: object({ l: "2" }), live, manager: "two" })).status, 200);

  const immutable = { ...object({ k: "1" }), immutable: true };
  const fixed = (await types.update({ object: immutable, manager: "one", time })).object;
  const update = (object) => types.update({ object, live: fixed, manager: "one", time });
  assert.equal((await update(immutable)).status, 200);
  assert.equal((await update({ ...immutable, data: { k: "2" } })).status, 422);
});

test("update makes the owner by Update, and defaults are owned", async () => {
  const done = await types.update({ object: deployment, manager: "kubectl-edit", time });
  assert.equal(done.ok, true, JSON.stringify(done.errors));
  const blamed = await types.owners({ live: done.yaml });
  assert.deepEqual(blamed.managers.map((m) => [m.manager, m.operation, m.time]), [["kubectl-edit", "Update", time]]);
  const place = blamed.places.find((p) => p.path === ".spec.template.spec.restartPolicy");
  assert.deepEqual([place.standing, place.owners, place.value], ["owned", [0], "Always"]);
});

test("diff lists the changes, and shows them as a unified diff", async () => {
  const live = (await types.apply({ config: deployment, manager: "one", time })).yaml;
  const done = await types.diff({ config: deployment.replace("web:1", "web:2"), live, manager: "one", time });
  assert.equal(done.ok, true, JSON.stringify(done.errors));
  assert.deepEqual(done.differences.map((d) => [d.path, d.old, d.new]),
    [['.spec.template.spec.containers[name="web"].image', "web:1", "web:2"]]);
  assert.match(done.unified, /^-.*image: web:1\n\+.*image: web:2$/m);
  const same = await types.diff({ config: deployment, live, manager: "one", time });
  assert.deepEqual([same.ok, same.differences, same.unified], [true, [], ""]);
  const conflict = await types.diff({ config: deployment.replace("web:1", "web:2"), live, manager: "two", time });
  assert.equal(conflict.ok, false);
  assert.equal(conflict.differences.find((d) => d.conflict).owners[0].manager, "one");
});

test("owners names the owner of each line", async () => {
  const live = (await types.apply({ config: deployment, manager: "one", time })).object;
  const blamed = await types.owners({ live });
  assert.equal(blamed.ok, true);
  const line = (text) => blamed.lines.find((l) => l.text.trim() === text);
  assert.deepEqual(line("replicas: 3").owners.map((i) => blamed.managers[i].manager), ["one"]);
  assert.equal(line("replicas: 3").path, ".spec.replicas");
  assert.equal(line("restartPolicy: Always").nobody, true);
  assert.equal(line("restartPolicy: Always").note, "nobody");
  const copy = blamed.lines.map((l) => l.text).join("\n");
  assert.equal((await types.validate({ object: copy })).ok, true);
});

test("validate reports errors with line and column, and with a path for plain data", async () => {
  const bad = deployment.replace("replicas: 3", "replica: 3").replace("app: web}}\n  template", "app: web}}\n  paused: \"no\"\n  template");
  const found = await types.validate({ object: bad });
  assert.equal(found.ok, false);
  assert.deepEqual(found.errors.map((e) => [e.path, e.line, e.column, e.source, e.reason]).sort(),
    [[".spec.paused", 7, 3, "object", "Invalid"], [".spec.replica", 5, 3, "object", "Invalid"]]);
  const data = await types.validate({ object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { n: 1 } } });
  assert.deepEqual(data.errors.map((e) => [e.path, e.line]), [[".data.n", undefined]]);
  assert.equal((await types.validate({ object: deployment })).ok, true);
});

test("migrate transfers fields", async () => {
  const live = (await types.update({ object: deployment, manager: "kubectl-client-side-apply", time })).object;
  const done = await types.migrate({ live, from: "kubectl-client-side-apply", to: "kubectl" });
  assert.equal(done.ok, true, JSON.stringify(done.errors));
  assert.equal(done.changed, true);
  assert.deepEqual(done.object.metadata.managedFields.map((e) => [e.manager, e.operation]), [["kubectl", "Apply"]]);
  assert.ok(done.transfers[0].fields > 5);
});

test("schema and kinds describe the types", async () => {
  const { kinds } = await types.kinds();
  assert.deepEqual(kinds.find((k) => k.kind === "Deployment"),
    { apiVersion: "apps/v1", kind: "Deployment", resource: "deployments", scope: "Namespaced", subresources: ["scale", "status"], source: "" });
  const found = await types.schema({ apiVersion: "v1", kind: "Service" });
  assert.equal(found.type, "io.k8s.api.core.v1.Service");
  const spec = found.schema.types.find((t) => t.name === "io.k8s.api.core.v1.ServiceSpec");
  assert.deepEqual(spec.map.fields.find((f) => f.name === "ports").type.list.keys, ["port", "protocol"]);
  const copy = await engine.types({ schema: found.yaml, type: found.type });
  assert.deepEqual(copy.errors, []);
  assert.equal((await copy.validate({ object: "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}" })).ok, true);
});

const crd = (listType) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 2}
              mode: {type: string, x-kubernetes-immutable: true}
              parts: {type: array, x-kubernetes-list-type: ${listType}, items: {type: string}}
`;
const widget = (spec) => `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: b}\nspec: ${spec}\n`;

test("several sets of types exist at once", async () => {
  const sets = await Promise.all(["set", "atomic"].map((listType) => engine.types({ crds: crd(listType) })));
  const older = await engine.types({ kubernetesVersion: "1.35", crds: [crd("set")] });
  assert.match(older.kubernetesVersion, /^v1\.35\./);
  const results = [];
  for (const set of [...sets, older]) {
    assert.deepEqual(set.errors, []);
    const live = (await set.apply({ config: widget("{parts: [a]}"), manager: "one", time })).object;
    assert.equal(live.spec.size, 2);
    results.push(await set.apply({ config: widget("{parts: [b]}"), live, manager: "two", time }));
  }
  for (const { warnings } of [results[0], await sets[0].update({ object: widget("{}"), manager: "one", time }), await sets[0].validate({ object: widget("{}") })]) {
    assert.equal(warnings.filter((w) => w.message.startsWith("the values are not checked: ")).length, 1);
  }
  assert.deepEqual(results.map((r) => [r.ok, r.object?.spec.parts]), [[true, ["a", "b"]], [false, undefined], [true, ["a", "b"]]]);
  assert.equal((await types.apply({ config: widget("{}"), manager: "one" })).ok, false);
  sets[0].free();
  assert.equal((await sets[0].kinds()).errors[0].reason, "Closed");
  assert.equal((await sets[1].kinds()).ok, true);
});

test("proposals are off by default", async () => {
  const definition = crd("set");
  const off = await engine.types({ crds: definition });
  const on = await engine.types({ crds: definition, proposals: { immutability: true, declarativeDefaults: true } });
  const live = (await off.apply({ config: widget("{mode: one}"), manager: "one", time })).object;
  const request = { config: widget("{mode: two}"), live, manager: "one", time };
  assert.equal((await off.apply(request)).ok, true);
  const refused = await on.apply(request);
  assert.equal(refused.ok, false);
  assert.deepEqual(refused.immutable.map((i) => [i.path, i.old, i.new, i.proposal]), [[".spec.mode", "one", "two", "KEP-1101"]]);
  // With KEP-1929, a missing field means its default. So applying the default does not conflict.
  const two = (await off.update({ object: widget("{size: 2, mode: a}"), manager: "two", time })).object;
  const removed = { ...two, spec: { mode: "a" } };
  const again = { config: widget("{size: 2}"), live: removed, manager: "three", time };
  assert.deepEqual([(await off.apply(again)).ok, (await on.apply(again)).ok], [true, true]);
  const other = { config: widget("{size: 3}"), live: two, manager: "three", time };
  assert.deepEqual([(await off.apply(other)).conflicts.length, (await on.apply(other)).conflicts.length], [1, 1]);
  const nulled = { config: widget("{size: null, mode: a}"), live: two, manager: "three", time };
  assert.deepEqual([(await off.apply(nulled)).ok, (await on.apply(nulled)).ok], [false, true]);
});

test("a schema of structured-merge-diff gives the type of all objects", async () => {
  const schema = `types:
- name: object
  map:
    elementType: {scalar: untyped}
    fields:
    - name: metadata
      type: {map: {elementType: {namedType: any}}}
    - name: ports
      type: {list: {elementRelationship: associative, keys: [port], elementType: {map: {elementType: {scalar: untyped}}}}}
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}}
`;
  const set = await engine.types({ schema, type: "object" });
  assert.deepEqual(set.errors, []);
  const object = (ports) => `{apiVersion: v1, kind: K, metadata: {name: a}, ports: ${ports}}`;
  const live = (await set.apply({ config: object("[{port: 1, name: x}]"), manager: "one", time })).object;
  const done = await set.apply({ config: object("[{port: 2}]"), live, manager: "two", time });
  assert.deepEqual(done.object?.ports, [{ port: 1, name: "x" }, { port: 2 }]);
  assert.match((await engine.types({ schema })).errors[0].message, /schema needs type: one of any and object|object/);
  assert.match((await engine.types({ schema, type: "objct" })).errors[0].message, /object/);
});

const refusals = {
  "broken YAML": () => types.validate({ object: "a: [1,\nb: }" }),
  "several objects": () => types.validate({ object: `${deployment}---\n${deployment}` }),
  "no object": () => types.validate({ object: "" }),
  "a missing input": () => types.validate({}),
  "no request": () => types.validate(),
  "a list": () => types.validate({ object: [1] }),
  "a number": () => types.validate({ object: 1 }),
  "an unknown kind": () => types.validate({ object: "{apiVersion: apps/v1, kind: Deploymnt, metadata: {name: a}}" }),
  "an unknown argument": () => types.apply({ config: deployment, manger: "one" }),
  "no manager": () => types.apply({ config: deployment }),
  "a manager that is no text": () => types.apply({ config: deployment, manager: { a: 1 } }),
  "a bad time": () => types.apply({ config: deployment, manager: "one", time: "now" }),
  "contradicting choices": () => types.apply({ config: deployment, manager: "one", force: true, yield: true }),
  "a path that does not exist": () => types.apply({ config: deployment, manager: "one", force: [".spec.replica"] }),
  "another live object": () => types.apply({ config: deployment, live: deployment.replace("name: web,", "name: other,"), manager: "one" }),
  "broken managed fields": () => types.owners({ live: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", managedFields: [{ manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { bad: 1 } }] } } }),
  "a cycle": () => { const o = {}; o.o = o; return types.validate({ object: o }); },
  "a BigInt": () => types.validate({ object: { n: 1n } }),
  "deep JSON": () => types.validate({ object: "[".repeat(100_000) }),
  "deep YAML": () => types.validate({ object: Array.from({ length: 1000 }, (_, i) => " ".repeat(i) + "a:").join("\n") }),
  "deep lists": () => types.validate({ object: "- ".repeat(50_000) + "a" }),
  "deep data": () => { let o = {}; for (let i = 0; i < 2000; i++) o = { o }; return types.validate({ object: o }); },
  "many aliases": () => types.validate({ object: Array.from({ length: 40 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}` : "x"}]`).join("\n") }),
  "large input": () => types.validate({ object: "x".repeat(17 << 20) }),
  "a broken CRD": async () => ({ ok: false, ...(await engine.types({ crds: crd("set").replace("type: object", "type: 5") })) }),
  "an unknown release": async () => ({ ok: false, ...(await engine.types({ kubernetesVersion: "1.2" })) }),
  "an unknown option": async () => ({ ok: false, ...(await engine.types({ crd: "" })) }),
  "a broken schema": async () => ({ ok: false, ...(await engine.types({ schema: "types: 1", type: "x" })) }),
  "a schema with a cycle of names": async () => (await engine.types({ schema: "types: [{name: a, map: {elementType: {namedType: b}}}]", type: "a" })).validate({ object: "{apiVersion: v1, kind: K, metadata: {name: a}}" }),
};

test("bad input gets an error as data, and the engine goes on", async (t) => {
  for (const [name, ask] of Object.entries(refusals)) {
    await t.test(name, async () => {
      const found = await ask();
      assert.equal(found.ok, false);
      assert.ok(found.errors.length > 0, JSON.stringify(found));
      for (const e of found.errors) {
        assert.equal(typeof e.message, "string");
        assert.ok(e.reason && e.reason !== "Internal", JSON.stringify(e));
      }
      assert.equal((await types.validate({ object: deployment })).ok, true);
    });
  }
});

test("input up to the limits is accepted", async () => {
  const nested = (n) => "[".repeat(n) + "]".repeat(n);
  const set = await engine.types({ untyped: true });
  const object = (text) => `{"apiVersion": "x/v1", "kind": "K", "metadata": {"name": "a"}, "spec": ${text}}`;
  for (const spec of [nested(390), '{"a":'.repeat(390) + "1" + "}".repeat(390)]) {
    const done = await set.apply({ config: object(spec), manager: "one", time });
    assert.equal(done.ok, true, JSON.stringify(done.errors));
    const again = await set.diff({ config: object("1"), live: done.object, manager: "two", time });
    assert.ok(again.errors.every((e) => e.reason !== "Internal"), JSON.stringify(again.errors));
    assert.equal((await set.owners({ live: done.yaml })).ok, true);
  }
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n" +
    Array.from({ length: 20_000 }, (_, i) => `  k${i}: "${"v".repeat(50)}"\n`).join("");
  assert.equal((await types.apply({ config: text, manager: "one", time })).ok, true);
});

test("a program that ends starts again", async () => {
  const script = `
    import { load } from "@dovetail-ssa/engine";
    const set = await (await load()).types({ untyped: true });
    const ask = async (depth) => {
      const spec = "[".repeat(depth) + "]".repeat(depth);
      const found = await set.apply({ config: '{"apiVersion": "x/v1", "kind": "K", "metadata": {"name": "a"}, "spec": ' + spec + "}", manager: "one" });
      return found.errors[0]?.reason ?? found.ok;
    };
    console.log([await ask(1), await ask(390), await ask(1)].join(" "));
  `;
  const found = [];
  for (let size = 300; size >= 100 && found.at(-1) !== "true Internal true"; size -= 20) { // size of the stack in KiB
    const { stdout } = await promisify(execFile)(process.execPath, [`--stack-size=${size}`, "--input-type=module", "-e", script],
      { cwd: new URL("..", import.meta.url) });
    found.push(stdout.trim());
  }
  assert.equal(found.at(-1), "true Internal true", found.join("\n"));
});

test("a closed engine answers", async () => {
  const own = await load();
  const set = await own.types();
  own.close();
  assert.equal((await set.validate({ object: deployment })).errors[0].reason, "Closed");
  assert.equal((await own.types()).errors[0].reason, "Closed");
});

test("a release that cannot be read is an error, and is read again", async () => {
  let broken = true;
  const { readFile } = await import("node:fs/promises");
  const own = await load({
    read: async (name) => {
      if (broken) throw new Error("no network");
      return readFile(new URL(`../dist/${name}`, import.meta.url));
    },
  });
  const set = await own.types();
  assert.deepEqual(set.errors.map((e) => e.reason), ["Unavailable"]);
  assert.match(set.errors[0].message, /no network/);
  broken = false;
  assert.equal((await set.validate({ object: deployment })).ok, true);
  own.close();
});

test("engines are separate, and nothing global changes", async () => {
  const before = Object.getOwnPropertyNames(globalThis).sort();
  const module = await WebAssembly.compile(await (await import("node:fs/promises")).readFile(new URL("../dist/engine.wasm", import.meta.url)));
  const [a, b] = await Promise.all([load({ wasm: module }), load({ wasm: module })]);
  const set = await a.types();
  a.close();
  assert.equal((await set.kinds()).ok, false);
  assert.equal((await (await b.types()).validate({ object: deployment })).ok, true);
  b.close();
  assert.deepEqual(Object.getOwnPropertyNames(globalThis).sort(), before);
});

test("memory stays bounded over 1,000 applies", async () => {
  let live = (await types.apply({ config: deployment, manager: "one", time })).object;
  const sizes = [];
  for (let i = 0; i < 1000; i++) {
    const done = await types.apply({ config: deployment.replace("web:1", `web:${i}`), live, manager: "one", time });
    assert.equal(done.ok, true);
    live = done.object;
    if (i === 199 || i === 999) {
      sizes.push(process.memoryUsage().external + process.memoryUsage().arrayBuffers);
    }
  }
  assert.ok(sizes[1] < sizes[0] * 1.5, `memory grew from ${sizes[0]} to ${sizes[1]} bytes`);
});
