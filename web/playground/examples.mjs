// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file collects the examples of the page: the files in examples/, and cases of the specification.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * These rules are left out. Their cases contain values that an API server changes or rejects:
 * duplicates, nulls, and items that lack a key with a default.
 */
const changedByServers = new Set(["I3", "M1", "M4", "G4"]);

/** Returns all examples with id, group and state. For tests, cases have the expected results, too. */
export function examples() {
  const own = readdirSync(join(here, "examples")).sort().map((file) => {
    const state = parse(readFileSync(join(here, "examples", file), "utf8"));
    return { id: file.replace(/^\d+-|\.yaml$/g, ""), group: "To start with", state: { tab: state.managers.length - 1, ...state } };
  });
  return [...own, ...rules(readFileSync(join(here, "../../spec/README.md"), "utf8"))];
}

/**
 * Returns the cases of the specification that are a series of applies and updates. Objects in these
 * cases have only the fields that matter. So this function adds an apiVersion, a kind and a name.
 */
export function rules(text) {
  const schema = parse(text.match(/^```yaml schema\n(.*?)^```/ms)[1]);
  const type = schema.types[0].map;
  type.fields = type.fields.filter((f) => f.name !== "kind");
  const scalar = (name) => ({ name, type: { scalar: "string" } });
  type.fields.unshift(scalar("apiVersion"), scalar("kind"), { name: "metadata", type: { map: { fields: [scalar("name")] } } }, scalar("creator"));
  const whole = (fields, metadata = {}) => stringify({ apiVersion: "example.com/v1", kind: "Object", metadata: { name: "example", ...metadata }, ...fields });
  // In the cases, nobody owns the fields of a live object. On a server, an object has such fields only
  // if it has an owner of other fields.
  const live = (fields) => whole({ creator: "x", ...fields }, {
    managedFields: [{ manager: "creator", operation: "Update", apiVersion: "example.com/v1", time: "2025-12-31T00:00:00Z", fieldsType: "FieldsV1", fieldsV1: { "f:creator": {} } }],
  });

  const found = [];
  const counts = {};
  let about = "";
  for (const part of text.split(/^(```.*?^```)$/ms)) {
    const fence = part.match(/^```yaml (\w+)\n(.*)```$/s);
    if (!fence) {
      about = part.match(/\*\*[A-Z]\d+\.\*\*(?!.*\*\*[A-Z]\d+\.\*\*).*/s)?.[0] ?? about;
      continue;
    }
    const [, rule] = fence;
    const example = parse(fence[2]);
    if (changedByServers.has(rule)) {
      continue;
    }
    const isRequest = (s) => (s.apply ?? s.update) && s.by && Object.keys(s).every((k) => ["apply", "update", "by", "force", "conflicts"].includes(k));
    if (!example.steps?.every(isRequest) || example.steps.some((s) => "kind" in (s.apply ?? s.update)) || Object.keys(example).some((k) => !["live", "steps", "object", "owners"].includes(k))) {
      continue;
    }
    const steps = example.steps.map((s) => ({ manager: s.by, op: s.apply ? "apply" : "update", config: whole(s.apply ?? s.update), force: s.force === true || [] }));
    const managers = new Map(steps.map((s) => [s.manager, { name: s.manager, op: s.op, config: s.config }]));
    counts[rule] = (counts[rule] ?? 0) + 1;
    const number = counts[rule] > 1 ? `-${counts[rule]}` : "";
    found.push({
      id: rule + number,
      group: "Rules of the specification",
      want: { object: example.object, owners: example.owners, refused: example.steps.map((s) => "conflicts" in s) },
      state: {
        title: `Rule ${rule}${number && ` (${counts[rule]})`}`,
        about: plain(about),
        live: example.live ? live(example.live) : "",
        managers: [...managers.values()],
        types: { schema: stringify(schema), type: schema.types[0].name },
        steps, at: steps.length, tab: managers.size - 1,
      },
    });
  }
  return found;
}

/** Converts Markdown to plain text. */
function plain(markdown) {
  return markdown.replace(/\*\*[A-Z]\d+\.\*\*\s*/, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, "").split(/\n\n+/).map((p) => p.trim().replace(/\n/g, " ")).filter(Boolean).join("\n\n");
}
