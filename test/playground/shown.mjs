// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// node shown.mjs FILE compares what the playground showed with the results that the cases want.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { caseGroups, expected, shown } from "../../web/playground/cases.mjs";

const { parse } = createRequire(new URL("../../web/playground/", import.meta.url))("yaml");
const cases = new Map(caseGroups().flatMap((g) => g.cases).map((c) => [c.id, c]));
for (const { id, kind, object, fields, conflicts } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const stored = parse(object);
  stored.metadata.managedFields = parse(fields);
  assert.deepEqual(shown({ ok: kind === "ok", conflicts: conflicts.map((manager) => ({ manager })), object: stored }, cases.get(id)), expected(cases.get(id)), id);
}
