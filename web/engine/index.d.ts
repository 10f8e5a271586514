// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

/** Loads the engine. Each call returns an engine of its own. */
export function load(options?: LoadOptions): Promise<Engine>;

export interface LoadOptions {
  /**
   * engine.wasm: its bytes, a compiled module, a response, a URL, or a path (Node only).
   * The default is the file in this package.
   */
  wasm?: BufferSource | WebAssembly.Module | Response | URL | string | Promise<BufferSource | WebAssembly.Module | Response>;
  /**
   * Returns the file with the types and rules of a Kubernetes release, such as releases/1.37.gz. The
   * engine reads it when types of the release are first used.
   * The default reads the file in this package: with fetch in a browser, from disk in Node.
   */
  read?: (name: string) => Promise<Uint8Array>;
}

/** An object as YAML or JSON text, or as plain data. */
export type Input = string | KubeObject;

/** A Kubernetes object as plain data. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: Record<string, any>;
  [field: string]: any;
}

/**
 * The engine. It is safe to use several sets of types at once. After close, all calls return an
 * error.
 */
export interface Engine {
  /** The version of this package. */
  readonly version: string;
  /** The known Kubernetes releases, oldest first. The last one may be an alpha or a beta. */
  readonly releases: readonly string[];
  /** The release that types() uses by default. */
  readonly defaultRelease: string;
  /** Returns a set of types. Errors in CRDs or in the schema are in errors of the result. */
  types(options?: TypesOptions): Promise<Types>;
  /** Frees all memory of the engine. */
  close(): void;
}

export interface TypesOptions {
  /** The release of the built-in types and of their defaults, such as "1.36". */
  kubernetesVersion?: string;
  /** CustomResourceDefinitions as YAML or JSON. A text may have several documents. */
  crds?: string | KubeObject | (string | KubeObject)[];
  /** A schema in the form of structured-merge-diff, as YAML. It replaces all other types. */
  schema?: string;
  /** The type of all objects: a name in schema. It is required with schema. */
  type?: string;
  /** Accept objects of unknown kinds: their maps are merged, and their lists are atomic. */
  untyped?: boolean;
  /** Behavior that is only proposed. Everything is off by default, as in released API servers. */
  proposals?: Proposals;
}

export interface Proposals {
  /** KEP-1929: the defaults of the schema take part in merges and conflicts. */
  declarativeDefaults?: boolean;
  /** KEP-1101: reject changes that markers such as x-kubernetes-immutable forbid. */
  immutability?: boolean;
}

/** A set of types. All methods return errors as data and do not reject. */
export interface Types {
  /** Errors in the options. If there are any, all methods return them. */
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The Kubernetes release of the built-in types, such as "v1.37.2", or "" with schema. */
  readonly kubernetesVersion: string;
  /** Lists the known kinds. */
  kinds(): Promise<KindsResult>;
  /** Predicts the object that an API server stores for a server-side apply. */
  apply(request: ApplyRequest): Promise<ApplyResult>;
  /** Predicts the object that an API server stores for a create, a replace or a patch. */
  update(request: UpdateRequest): Promise<ApplyResult>;
  /** Compares the live object with the result of an apply. If there are conflicts, they are forced. */
  diff(request: ApplyRequest): Promise<DiffResult>;
  /** Shows the owners of each line and of each path of a live object. */
  owners(request: OwnersRequest): Promise<OwnersResult>;
  /** Returns the conflicts of an apply, with the ways out and their results. */
  conflicts(request: ApplyRequest): Promise<ConflictsResult>;
  /** Validates an object by itself. */
  validate(request: ValidateRequest): Promise<ValidateResult>;
  /** Hands the fields of some managers over to another one, which then applies. */
  migrate(request: MigrateRequest): Promise<MigrateResult>;
  /** Returns the schema of a type, with all types that it refers to. */
  schema(request: SchemaRequest): Promise<SchemaResult>;
  /** Frees the types. Later calls return an error. */
  free(): void;
}

/** The part of an input that a problem is about. */
export type Source = "config" | "object" | "live" | "crds" | "schema" | "options" | (string & {});

/** An error or a warning. */
export interface Problem {
  message: string;
  /** The path in the object, such as .spec.ports[0].port. */
  path?: string;
  /** The line in the text, from 1. Only for an input that is a text. */
  line?: number;
  /** The column in the line, from 1. */
  column?: number;
  /** The input that the problem is in. crds[1] is the second text of crds. */
  source?: Source;
  /** A word for programs. */
  reason?: Reason;
}

export type Reason =
  /** The options or the request are wrong. */
  | "BadRequest"
  /** The input cannot be read, or is not valid. */
  | "Invalid"
  /** The input is larger or deeper than the engine accepts. */
  | "TooLarge"
  /** Types of a release could not be read. */
  | "Unavailable"
  /** The engine or the types are closed. */
  | "Closed"
  /** A bug in the engine. Please report it. */
  | "Internal"
  | (string & {});

export interface Result {
  /** True if there are no errors, no conflicts and no forbidden changes. */
  ok: boolean;
  errors: Problem[];
  warnings: Problem[];
}

export interface ApplyRequest {
  /** The applied configuration. */
  config: Input;
  /** The live object, if there is one. Include its managed fields. */
  live?: Input | null;
  /** The field manager that applies. */
  manager: string;
  /** Force conflicts: overwrite the values and take ownership. All, or those at or below some paths. */
  force?: boolean | string[];
  /** Yield conflicts: leave the fields out of the config. */
  yield?: boolean | string[];
  /** Share conflicts: apply the live values, and own the fields together. */
  share?: boolean | string[];
  /** The subresource of the endpoint, such as "status". */
  subresource?: string;
  /** The time of the request, for managed fields. The default is now. */
  time?: Date | string;
}

export interface UpdateRequest {
  /** The new object. */
  object: Input;
  live?: Input | null;
  manager: string;
  subresource?: string;
  time?: Date | string;
}

export interface ApplyResult extends Result {
  /** The stored object with its managed fields. Absent if nothing is stored. */
  object?: KubeObject;
  /** object as YAML. */
  yaml?: string;
  /** Whether the request changes the live object. */
  changed: boolean;
  conflicts: Conflict[];
  /** The ways out for all conflicts together. */
  outcomes?: Outcomes;
  /** The conflicts that force, yield or share resolved. */
  resolved: Resolved[];
  /** Forbidden changes of immutable fields. */
  immutable: Immutable[];
  /** The defaults that the stored object got. */
  defaulted: Defaulted[];
  /** Paths of values that only a server knows, such as .metadata.uid. */
  onlyServer: string[];
  /** Fields that the config leaves out and that stay in the object. */
  staying: Staying[];
}

export interface Owner {
  manager: string;
  operation: "Apply" | "Update" | (string & {});
  apiVersion: string;
  /** Empty for the main resource. */
  subresource: string;
}

/** A field that the config would change and that another manager owns. */
export interface Conflict extends Owner {
  path: string;
  /** The time at which the owner last wrote, in RFC 3339. */
  time: string | null;
  /** The value in the config. It may be null; see hasYours. */
  yours: any;
  hasYours: boolean;
  /** The value in the live object. It may be null; see hasLive. */
  live: any;
  hasLive: boolean;
  liveIsDefault: boolean;
  /** The line and the column in the config, 0 if unknown. */
  line: number;
  column: number;
  /** More information for people. */
  note: string;
  /** The ways out of this conflict alone. Null if there are very many conflicts. */
  outcomes: Outcomes | null;
}

/** The ways out of conflicts. */
export interface Outcomes {
  /** Overwrite the value and take ownership. */
  force: Outcome;
  /** Leave the field out of the config. The other manager keeps it. */
  yield: Outcome;
  /** Apply the live value. Both managers own the field. */
  share: Outcome;
}

export interface Outcome {
  /** The config to apply. Null if this way out is not possible. */
  config: KubeObject | null;
  /** The config as YAML, with the comments and the order of the text if possible. */
  yaml?: string;
  /** The object that is then stored. Null if config is null or other conflicts remain. */
  object: KubeObject | null;
  /** Items of which only the keys remain in the config. */
  keysOnly: string[];
  /** Paths of the conflicts that remain. */
  left: string[];
  /** Why this way out is not possible. Empty if it is. */
  error: string;
}

export interface Resolved {
  path: string;
  manager: string;
  choice: "force" | "yield" | "share";
  yours: any;
  live: any;
}

export interface Immutable {
  path: string;
  reason: string;
  old: any;
  new: any;
  /** The KEP of a proposed rule. */
  proposal?: string;
}

export interface Defaulted {
  path: string;
  /** Where the default comes from, for built-in kinds. */
  origin?: string;
}

export interface Staying {
  path: string;
  /** The owners after the apply. */
  owners: Owner[];
  /** Whether the manager applied the field until now. */
  givenUp: boolean;
  /** How to remove the field. */
  remedy: string;
}

export interface DiffResult extends ApplyResult {
  /** The changes. Empty for a new object. */
  differences: Difference[];
  /** The changes as a unified diff of YAML. Empty if nothing changes. */
  unified: string;
}

export interface Difference {
  path: string;
  old: any;
  hasOld: boolean;
  new: any;
  hasNew: boolean;
  /** The owners before the apply. */
  owners: Owner[];
  conflict: boolean;
  immutable: boolean;
  proposal?: string;
  note: string;
}

export interface OwnersRequest {
  live: Input;
}

export interface OwnersResult extends Result {
  managers: Manager[];
  /** The object as YAML, line by line, without its managed fields. */
  lines: OwnersLine[];
  /** The fields and items of the object, parents first. */
  places: OwnersPlace[];
  /** Owned paths that the object does not have. */
  lost: { path: string; manager: number }[];
}

export interface Manager extends Owner {
  /** The time of the last write in RFC 3339. Null if unknown. */
  time: string | null;
  /** The number of owned paths. */
  fields: number;
}

/**
 * Why a place has its owners. owned: by each of its owners. part: as a part of a list or map that
 * is owned as a whole. holder: it only contains owned places. default: nobody owns it, and it has
 * its default. server: it identifies the object, or the server sets it. unowned: nobody owns it.
 */
export type Standing = "owned" | "part" | "holder" | "default" | "server" | "unowned";

export interface OwnersPlace {
  path: string;
  standing: Standing;
  /** Whether the list or map can only be owned as a whole. */
  whole: boolean;
  /** Indexes into managers. */
  owners: number[];
  /** The value of a place without places below it. */
  value?: any;
}

export interface OwnersLine {
  text: string;
  /** The path of the innermost place that begins in this line. Empty in the middle of a text. */
  path: string;
  /** Owners of the places that begin in this line: indexes into managers. */
  owners: number[];
  /** A sentence part for the margin, such as "nobody: the default". Often empty. */
  note: string;
  /** Whether the line is part of a list, map or text that is owned as a whole. */
  part: boolean;
  /** Whether nobody owns the place, although somebody could. */
  nobody: boolean;
}

export interface ConflictsResult extends Result {
  conflicts: Conflict[];
  /** The ways out for all conflicts together. Absent without conflicts. */
  outcomes?: Outcomes;
}

export interface ValidateRequest {
  object: Input;
}

export interface ValidateResult extends Result {}

export interface MigrateRequest {
  live: Input;
  /** The managers that give their fields away. */
  from: string | string[];
  /** The manager that gets the fields, and applies from then on. */
  to: string;
  subresource?: string;
}

export interface MigrateResult extends Result {
  object?: KubeObject;
  yaml?: string;
  changed: boolean;
  /** What was handed over. */
  handovers: { from: Owner; to: Owner; fields: number }[];
}

export interface SchemaRequest {
  apiVersion?: string;
  kind?: string;
  /** The name of a type, in place of apiVersion and kind. */
  type?: string;
}

export interface SchemaResult extends Result {
  /** The name of the type. */
  type?: string;
  /** The schema in the form of structured-merge-diff. */
  schema?: any;
  /** schema as YAML. */
  yaml?: string;
}

export interface KindsResult extends Result {
  kinds: Kind[];
}

export interface Kind {
  apiVersion: string;
  kind: string;
  /** The plural name in URLs. Empty if unknown. */
  resource: string;
  scope: "Namespaced" | "Cluster" | "";
  subresources: string[];
  /** The CRD that defines the kind, such as crds[0]. Empty for a built-in kind. */
  source: string;
}
