// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file uses every function with its types. The test compiles it, but does not run it.

import { load, type ApplyResult, type Conflict, type Engine, type Outcome, type Problem, type Types } from "@dovetail-ssa/engine";

const engine: Engine = await load({ wasm: new URL("engine.wasm", "https://example.com"), read: async (name: string) => new Uint8Array(name.length) });
const types: Types = await engine.types({
  kubernetesVersion: engine.releases[0], crds: ["text", { kind: "CustomResourceDefinition" }], untyped: true,
  proposals: { declarativeDefaults: true, immutability: false },
});
await engine.types({ schema: "types: []", type: "a" });
const applied: ApplyResult = await types.apply({ config: { kind: "A" }, live: null, manager: "a", force: [".spec"], yield: true, time: new Date() });
const conflicts: Conflict[] = (await types.conflicts({ config: "text", live: applied.object, manager: "b" })).conflicts;
const ways: Outcome[] = conflicts.flatMap((c) => (c.outcomes ? [c.outcomes.force, c.outcomes.yield, c.outcomes.share] : []));
const problems: Problem[] = [...types.errors, ...applied.warnings];
const status: number | undefined = applied.status;
const changed: boolean = (await types.update({ object: "text", manager: "c", subresource: "status" })).changed;
const paths: string[] = (await types.diff({ config: "text", manager: "a" })).differences.map((d) => d.path);
const { managers, lines, places, lost } = await types.owners({ live: "text" });
const owners: string[] = lines.flatMap((l) => l.owners.map((i) => managers[i].manager));
const standing: "owned" | "part" | "holder" | "default" | "server" | "unowned" = places[0].standing;
const valid: boolean = (await types.validate({ object: "text" })).ok;
const given: number = (await types.migrate({ live: "text", from: ["a", "b"], to: "c" })).transfers[0].fields;
const yaml: string | undefined = (await types.schema({ apiVersion: "v1", kind: "Pod" })).yaml;
const scope: "Namespaced" | "Cluster" | "" = (await types.kinds()).kinds[0].scope;
// @ts-expect-error: manager is missing
await types.apply({ config: "text" });
// @ts-expect-error: there is no such option
await engine.types({ crd: "text" });
types.free();
engine.close();
console.log(ways, status, problems, changed, paths, lost, owners, standing, valid, given, yaml, scope);
