// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file collects the examples of the page: the files in examples/, and cases of the specification.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The reasons why the page cannot show an example or a case of the specification, as the end of a sentence. */
export const reasons = {
  codec: "reading and writing FieldsV1 is not a request.",
  extract: "it does not extract the fields of a manager.",
  null: "a server replaces some nulls.",
  key: "a server adds list keys that have a default.",
  duplicates: "a server rejects an update with duplicates.",
};

/** The examples that contain values which a server changes or rejects. */
const changedByServers = { I3: reasons.duplicates, M1: reasons.null, M4: reasons.key, G4: reasons.null };

/** Returns all examples with id, group and state. For tests, cases have the expected results, too. */
export function examples() {
  const own = readdirSync(join(here, "examples")).sort().map((file) => {
    const state = parse(readFileSync(join(here, "examples", file), "utf8"));
    return { id: file.replace(/^\d+-|\.yaml$/g, ""), group: "To start with", state: { tab: state.managers.length - 1, ...state } };
  });
  return [...own, ...rules(readFileSync(join(here, "../../spec/README.md"), "utf8")).filter((e) => e.state)];
}

/** Returns a value as YAML. Readers of YAML 1.1, such as Kubernetes, read the same value. */
export const toYAML = (value) => stringify(value, { version: "1.1" });

/** Returns a config with an apiVersion, a kind and a name, as YAML. */
export const whole = (fields, metadata = {}) => toYAML({ apiVersion: "example.com/v1", kind: "Object", metadata: { name: "example", ...metadata }, ...fields });

/**
 * Returns a live object as YAML. In the specification, fields of a live object can have no owner. On a
 * server, an object has such fields only if it has an owner of other fields.
 */
export function live(fields, owners = []) {
  const all = [{ manager: "creator", operation: "Update", fieldsV1: { "f:creator": {} } }, ...owners];
  return whole({ creator: "x", ...fields }, {
    managedFields: all.map((o) => ({ manager: o.manager, operation: o.operation, apiVersion: "example.com/v1", time: "2025-12-31T00:00:00Z", fieldsType: "FieldsV1", fieldsV1: o.fieldsV1 })),
  });
}

/** Adds the fields that whole and live add to the first type of a schema. The field kind of the schema becomes mark. */
export function schemaOfObjects(schema) {
  const [{ map, ...type }, ...others] = schema.types;
  const scalar = (name) => ({ name, type: { scalar: "string" } });
  return {
    types: [{
      ...type,
      map: {
        ...map,
        fields: [
          scalar("apiVersion"), scalar("kind"), { name: "metadata", type: { map: { fields: [scalar("name")] } } }, scalar("creator"),
          ...map.fields.map((f) => (f.name === "kind" ? { ...f, name: "mark" } : f)),
        ],
      },
    }, ...others],
  };
}

/**
 * Returns the examples in the text of the specification. An example that the page cannot show has the
 * reason in why. Objects in the specification have only the fields that matter. So this function adds an
 * apiVersion, a kind and a name.
 */
export function rules(text) {
  const schema = schemaOfObjects(parse(text.match(/^```yaml schema\n(.*?)^```/ms)[1]));
  const found = [];
  const counts = {};
  let about = "";
  for (const part of text.split(/^(```.*?^```)$/ms)) {
    const fence = part.match(/^```yaml ([A-Z]\d+)\n(.*)```$/s);
    if (!fence) {
      about = part.match(/\*\*[A-Z]\d+\.\*\*(?!.*\*\*[A-Z]\d+\.\*\*).*/s)?.[0] ?? about;
      continue;
    }
    const [, rule, source] = fence;
    counts[rule] = (counts[rule] ?? 0) + 1;
    const number = counts[rule] > 1 ? `-${counts[rule]}` : "";
    const base = { id: rule + number, rule, source };
    const example = parse(source);
    const why = reason(base.id, example);
    if (why) {
      found.push({ ...base, why });
      continue;
    }
    const steps = example.steps.map((s) => ({ manager: s.by, op: s.apply ? "apply" : "update", config: whole(s.apply ?? s.update), force: s.force === true || [] }));
    const managers = new Map(steps.map((s) => [s.manager, { name: s.manager, op: s.op, config: s.config }]));
    found.push({
      ...base,
      group: "Rules of the specification",
      want: { object: example.object, owners: example.owners, refused: example.steps.map((s) => "conflicts" in s) },
      state: {
        title: `Rule ${rule}${number && ` (${counts[rule]})`}`,
        about: plain(about),
        live: example.live ? live(example.live) : "",
        managers: [...managers.values()],
        types: { schema: toYAML(schema), type: schema.types[0].name },
        steps, at: steps.length, tab: managers.size - 1,
      },
    });
  }
  return found;
}

/** Returns the reason why the page cannot show an example, or "". */
function reason(id, example) {
  if (Array.isArray(example)) {
    return reasons.codec;
  }
  if (example.extracted) {
    return reasons.extract;
  }
  if (example.entries) {
    return "it cannot set the times, endpoints and uids of the steps. The cases of the rule have complete objects.";
  }
  return changedByServers[id] ?? "";
}

/** Converts Markdown to plain text. */
function plain(markdown) {
  return markdown.replace(/\*\*[A-Z]\d+\.\*\*\s*/, "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, "").split(/\n\n+/).map((p) => p.trim().replace(/\n/g, " ")).filter(Boolean).join("\n\n");
}
