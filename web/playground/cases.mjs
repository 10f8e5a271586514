// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This file converts the test cases of the specification, spec/cases/testdata, to states of the page.

import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { live, reasons, schemaOfObjects, toYAML, whole } from "./examples.mjs";

const folder = fileURLToPath(new URL("../../spec/cases/testdata", import.meta.url));

/**
 * Returns the groups of cases. A case that the page can show has a state without types: all cases of a
 * group have the types of the group. A case that the page cannot show has the reason in why.
 */
export function caseGroups() {
  return readdirSync(folder).filter((file) => file.endsWith(".json")).map((file) => {
    const { schema, cases } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return {
      name: basename(file, ".json"),
      types: schema && { schema: toYAML(hasMetadata(schema) ? schema : schemaOfObjects(schema)), type: "object" },
      cases: cases.map(({ name, about = "", rules = [], level, profile, ...c }) => {
        const why = exceptions[name] ?? reason(c, schema);
        return { id: name, about, rules, level, profile, ...(why ? { why } : { state: { title: `Case ${name}`, about, ...(level === 3 ? complete(c) : wrapped(c)) }, want: c.want, now: c.now }) };
      }),
    };
  });
}

/** Returns the types and states of a group, as the page reads them. */
export function fileOfGroup({ types, cases }) {
  return { types, cases: Object.fromEntries(cases.filter((c) => c.state).map((c) => [c.id, c.state])) };
}

const hasMetadata = (schema) => schema.types.some((t) => t.map?.fields?.some((f) => f.name === "metadata"));

/** The cases that the page cannot show for a reason of their own. */
const exceptions = {
  "managed-019": "it needs the name of a manager.",
  "managed-071": "it rejects a new object that has a uid.",
  "managed-090": "a server validates the object, and rejects a text in place of a number.",
  "managed-361": "a server stores an update that the merge rejects, with unchanged managed fields.",
  "wide-029": "a server stores an update that the merge rejects, with unchanged managed fields.",
};

/** Returns the reason why the page cannot show a case, or "". */
function reason(c, schema) {
  const versions = [c.version, ...[...(c.owners ?? []), ...managedFields(c.live)].map((o) => o.version ?? o.apiVersion), c.object?.apiVersion];
  if (c.op === "codec") {
    return reasons.codec;
  }
  if (c.op === "extract") {
    return reasons.extract;
  }
  if (versions.some((v) => v && v !== "v1")) {
    return "it knows only one API version of an object.";
  }
  if (c.subresource || c.untracked) {
    return "it sends requests only to endpoints that reset no fields.";
  }
  const values = [c.live, c.object, c.want.object];
  const root = { namedType: "object" };
  if (values.some(hasNull)) {
    return reasons.null;
  }
  if (values.some((v) => someList(v, root, schema.types, lacksKey))) {
    return reasons.key;
  }
  if (c.op === "update" && someList(c.object, root, schema.types, hasDuplicates)) {
    return reasons.duplicates;
  }
  if (c.op === "apply" && c.object.metadata?.managedFields) {
    return "it ignores managed fields in a config.";
  }
  return "";
}

const hasNull = (value) => value === null || (typeof value === "object" && Object.values(value).some(hasNull));

/** Reports whether a list in a value, with the list's type, meets a condition. */
function someList(value, type, types, condition) {
  if (typeof value !== "object" || value === null || type === undefined) {
    return false;
  }
  const { map, list } = type.namedType ? types.find((t) => t.name === type.namedType) : type;
  if (Array.isArray(value)) {
    return list !== undefined && (condition(value, list) || value.some((item) => someList(item, list.elementType, types, condition)));
  }
  return Object.entries(value).some(([name, part]) =>
    someList(part, map?.fields?.find((f) => f.name === name)?.type ?? map?.elementType, types, condition));
}

/** Reports whether an item of a list lacks a key that has a default. */
function lacksKey(items, { keys = [], elementType }) {
  const withDefault = keys.filter((k) => elementType.map.fields.some((f) => f.name === k && "default" in f));
  return items.some((item) => withDefault.some((k) => !(k in item)));
}

/** Reports whether items of an associative list have the same identity. */
function hasDuplicates(items, { keys, elementRelationship }) {
  const ids = items.map((item) => JSON.stringify(keys ? keys.map((k) => item[k]) : item));
  return elementRelationship === "associative" && new Set(ids).size < ids.length;
}

const managedFields = (object) => (Array.isArray(object?.metadata?.managedFields) ? object.metadata.managedFields : []);

/** Returns the live object and the request of a case whose objects are complete. */
function complete(c) {
  return { live: c.live ? toYAML(c.live) : "", managers: [{ name: c.manager, op: c.op, config: toYAML(c.object), force: c.force === true || [] }] };
}

/**
 * Returns the live object and the request of a case whose objects have only the fields that matter.
 * Such a case has at most one owner of each name. On a server, the applies and the updates of a manager
 * have different owners. So the owner of the request's manager gets the operation of the request.
 */
function wrapped(c) {
  const owners = (c.owners ?? []).map((o) => ({
    manager: o.manager, operation: (o.manager === c.manager ? c.op === "apply" : o.applied) ? "Apply" : "Update",
    fieldsV1: renamed(o.fieldsV1, "f:"),
  }));
  const object = c.op === "update" ? { creator: "x", ...renamed(c.object) } : renamed(c.object);
  return { live: live(renamed(c.live), owners), managers: [{ name: c.manager, op: c.op, config: whole(object), force: c.force === true || [] }] };
}

/**
 * Renames the field kind of an object, which the cases use like any other field. A server uses it for the
 * kind of the object.
 */
export function renamed(object, prefix = "") {
  return Object.fromEntries(Object.entries(object ?? {}).map(([name, value]) => [name === `${prefix}kind` ? `${prefix}mark` : name, value]));
}

// ---- For tests

/** The time of the first request of the page. */
const now = "2026-01-01T00:00:00Z";

/** Returns the result that a case wants, in the form of shown. */
export function expected({ want, level, now: time }) {
  if (want.error || want.conflicts) {
    return want.error ? "refused" : want.conflicts.map((c) => c.manager).sort();
  }
  if (level === 3) {
    return stored(want.object, (e) => [e.manager, e.operation, e.time === time ? now : e.time, e.fieldsV1]);
  }
  return { fields: renamed(want.object), owners: (want.owners ?? []).map((o) => [o.manager, renamed(o.fieldsV1, "f:")]).sort() };
}

/** Returns the parts of a result that a case determines: the managers of conflicts, or the stored object. */
export function shown(result, { level }) {
  if (result.conflicts.length > 0) {
    return result.conflicts.map((c) => c.manager).sort();
  }
  if (!result.ok) {
    return "refused";
  }
  const { creator, ...object } = result.object;
  return level === 3 ? stored(object, (e) => [e.manager, e.operation, e.time, e.fieldsV1]) : stored(object, (e) => [e.manager, e.fieldsV1]);
}

function stored({ apiVersion, kind, metadata: { managedFields = [] }, ...fields }, owner) {
  return { fields, owners: managedFields.filter((e) => e.manager !== "creator").map(owner).sort() };
}
