// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

/** Loads the engine. Each call returns a new engine. */
export function load(options?: LoadOptions): Promise<Engine>;

export interface LoadOptions {
  /**
   * The program engine.wasm: its bytes, a compiled module, a response, a URL, or a path (Node only).
   * The default is the file in this package.
   */
  wasm?: BufferSource | WebAssembly.Module | Response | URL | string | Promise<BufferSource | WebAssembly.Module | Response>;
  /**
   * Reads the file with the types and rules of a Kubernetes release, such as releases/1.37.gz. The
   * engine calls this function when types of the release are first used.
   * The default reads the file in this package: with fetch in a browser, and from disk in Node.
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
 * An engine. You can use several sets of types at once. After close, all calls return an error.
 */
export interface Engine {
  /** The version of this package. */
  readonly version: string;
  /** The known Kubernetes releases, oldest first. The newest one may be an alpha or a beta. */
  readonly releases: readonly string[];
  /** The release that types() uses by default. */
  readonly defaultRelease: string;
  /** Creates a set of types. If CRDs or the schema have errors, these are in errors of the set. */
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
  /** Accept objects of unknown kinds. Their maps are merged, and their lists are atomic. */
  untyped?: boolean;
  /** Proposed behavior, which released API servers do not have. It is off by default. */
  proposals?: Proposals;
}

export interface Proposals {
  /** KEP-1929: use the defaults of the schema in merges and conflicts. */
  declarativeDefaults?: boolean;
  /** KEP-1101: reject changes that markers such as x-kubernetes-immutable forbid. */
  immutability?: boolean;
}

/** A set of types. Methods return errors as data. Their promises do not reject. */
export interface Types {
  /** Errors in the options. If there are any, every method returns them. */
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
  /** Compares the live object with the result of an apply that forces all conflicts. */
  diff(request: ApplyRequest): Promise<DiffResult>;
  /** Shows the owners of each line and of each path of a live object. */
  owners(request: OwnersRequest): Promise<OwnersResult>;
  /** Returns the conflicts of an apply, with the ways to resolve them and the results. */
  conflicts(request: ApplyRequest): Promise<ConflictsResult>;
  /** Validates one object. */
  validate(request: ValidateRequest): Promise<ValidateResult>;
  /** Hands the fields of some managers over to another manager, which owns them by Apply. */
  migrate(request: MigrateRequest): Promise<MigrateResult>;
  /** Returns the schema of a type, with all types that it refers to. */
  schema(request: SchemaRequest): Promise<SchemaResult>;
  /** Frees the types. Later calls return an error. */
  free(): void;
}

/** The input that a problem is about. */
export type Source = "config" | "object" | "live" | "crds" | "schema" | "options" | (string & {});

/** An error or a warning. */
export interface Problem {
  message: string;
  /** The path in the object, such as .spec.ports[0].port. */
  path?: string;
  /** The line in the text, counted from 1. It is set only if the input is a text. */
  line?: number;
  /** The column in the line, counted from 1. */
  column?: number;
  /** The input with the problem. crds[1] is the second text of crds. */
  source?: Source;
  /** The kind of the problem, for programs. */
  reason?: Reason;
}

export type Reason =
  /** The options or the request are wrong. */
  | "BadRequest"
  /** The input cannot be read, or is invalid. */
  | "Invalid"
  /** The input is too large or nested too deeply. */
  | "TooLarge"
  /** The file of a release could not be read. */
  | "Unavailable"
  /** The engine was closed, or the types were freed. */
  | "Closed"
  /** A bug in the engine. Please report it. */
  | "Internal"
  | (string & {});

export interface Result {
  /** Whether there are no errors, no conflicts and no forbidden changes. */
  ok: boolean;
  errors: Problem[];
  warnings: Problem[];
}

export interface ApplyRequest {
  /** The config to apply. */
  config: Input;
  /** The live object with its managed fields, or null for a new object. */
  live?: Input | null;
  /** The field manager that applies. */
  manager: string;
  /** Overwrite conflicting values and take ownership: true for all, or a list of paths. */
  force?: boolean | string[];
  /** Leave conflicting fields out of the config: true for all, or a list of paths. */
  yield?: boolean | string[];
  /** Apply the live values of conflicting fields: true for all, or a list of paths. */
  share?: boolean | string[];
  /** The subresource of the request, such as "status". */
  subresource?: string;
  /** The time of the request, which managed fields record. The default is now. */
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
  /**
   * The HTTP status with which an API server answers the request, such as 200, 201 (created), 409 (conflict)
   * or 422 (invalid). It is absent if it is unknown, for example because the input cannot be read.
   */
  status?: number;
  /** The stored object with its managed fields. It is absent if nothing is stored. */
  object?: KubeObject;
  /** The object as YAML. */
  yaml?: string;
  /** Whether the request changes the live object. */
  changed: boolean;
  conflicts: Conflict[];
  /** The ways to resolve all conflicts together. */
  outcomes?: Outcomes;
  /** The conflicts that force, yield or share resolved. */
  resolved: Resolved[];
  /** Forbidden changes of immutable fields. */
  immutable: Immutable[];
  /** The defaults that the server filled in. */
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
  /** The subresource, such as "status". It is empty for the main resource. */
  subresource: string;
}

/** A field that the config would change and that another manager owns. */
export interface Conflict extends Owner {
  path: string;
  /** The time at which the owner last wrote, in RFC 3339. */
  time: string | null;
  /** The value in the config. If it is null, hasYours shows whether the config has the field. */
  yours: any;
  hasYours: boolean;
  /** The value in the live object. If it is null, hasLive shows whether the object has the field. */
  live: any;
  hasLive: boolean;
  liveIsDefault: boolean;
  /** The line in the config, or 0 if it is unknown. */
  line: number;
  column: number;
  /** More information for people. */
  note: string;
  /** The ways to resolve only this conflict. It is null if there are very many conflicts. */
  outcomes: Outcomes | null;
}

/** The ways to resolve conflicts. */
export interface Outcomes {
  /** Overwrite the value and take ownership. */
  force: Outcome;
  /** Leave the field out of the config. The other manager keeps it. */
  yield: Outcome;
  /** Apply the live value. Both managers own the field. */
  share: Outcome;
}

export interface Outcome {
  /** The config to apply. It is null if this way is impossible. */
  config: KubeObject | null;
  /** The config as YAML. If possible, it keeps the comments and the order of the text. */
  yaml?: string;
  /** The resulting object. It is null if config is null or other conflicts remain. */
  object: KubeObject | null;
  /** The list items of which the config has only the keys. */
  keysOnly: string[];
  /** Paths of the conflicts that remain. */
  left: string[];
  /** The reason why this way is impossible. It is empty if the way is possible. */
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
  /** The KEP that proposes the rule. It is absent if released servers have the rule. */
  proposal?: string;
}

export interface Defaulted {
  path: string;
  /** The source of the default. It is set for built-in kinds. */
  origin?: string;
}

export interface Staying {
  path: string;
  /** The owners after the apply. */
  owners: Owner[];
  /** Whether the manager has applied the field until now. */
  givenUp: boolean;
  /** How to remove the field. */
  remedy: string;
}

export interface DiffResult extends ApplyResult {
  /** The changes. The list is empty for a new object. */
  differences: Difference[];
  /** The changes as a unified diff of YAML. It is empty if nothing changes. */
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
  /** The time of the last write in RFC 3339, or null if it is unknown. */
  time: string | null;
  /** The number of owned paths. */
  fields: number;
}

/**
 * Describes who owns a place, which is a field or an item. owned: all its owners own the place itself. part:
 * its owners own a list or map as a whole, and the place is inside. holder: the place only contains owned
 * places. default: nobody owns the place, and it has its default. server: the place identifies the object,
 * or the server sets it. unowned: nobody owns the place.
 */
export type Standing = "owned" | "part" | "holder" | "default" | "server" | "unowned";

export interface OwnersPlace {
  path: string;
  standing: Standing;
  /** Whether managers can own this list or map only as a whole. */
  whole: boolean;
  /** Indexes into managers. */
  owners: number[];
  /** The value of the place, if there are no places below it. */
  value?: any;
}

export interface OwnersLine {
  text: string;
  /** The path of the innermost place that begins on the line. It is empty inside a text. */
  path: string;
  /** The owners of the places that begin on the line, as indexes into managers. */
  owners: number[];
  /** A remark for the margin, such as "nobody (default)". It is often empty. */
  note: string;
  /** Whether the line belongs to a list, map or text that is owned as a whole. */
  part: boolean;
  /** Whether nobody owns the place, although a manager could. */
  nobody: boolean;
}

export interface ConflictsResult extends Result {
  /** The HTTP status with which an API server answers the apply. It is absent if it is unknown. */
  status?: number;
  conflicts: Conflict[];
  /** The ways to resolve all conflicts together. It is absent without conflicts. */
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
  /** The manager that gets the fields and will apply them. */
  to: string;
  subresource?: string;
}

export interface MigrateResult extends Result {
  object?: KubeObject;
  yaml?: string;
  changed: boolean;
  /** The number of fields that each manager transferred. */
  transfers: { from: Owner; to: Owner; fields: number }[];
}

export interface SchemaRequest {
  apiVersion?: string;
  kind?: string;
  /** The name of a type, instead of apiVersion and kind. */
  type?: string;
}

export interface SchemaResult extends Result {
  /** The name of the type. */
  type?: string;
  /** The schema in the form of structured-merge-diff. */
  schema?: any;
  /** The schema as YAML. */
  yaml?: string;
}

export interface KindsResult extends Result {
  kinds: Kind[];
}

export interface Kind {
  apiVersion: string;
  kind: string;
  /** The plural name in URLs. It is empty if it is unknown. */
  resource: string;
  scope: "Namespaced" | "Cluster" | "";
  subresources: string[];
  /** The CRD that defines the kind, such as crds[0]. It is empty for a built-in kind. */
  source: string;
}
