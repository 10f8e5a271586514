// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

/** Starts a server. The promise resolves when the server answers requests. */
export function start(options?: Options): Promise<Server>;

/**
 * Returns the path of the program dovetail: the variable DOVETAIL, the program of the package for this
 * platform, or the one in PATH. Throws if there is none.
 */
export function find(): string;

export interface Options {
  /** More flags of dovetail serve, such as ["--immutability-markers"]. */
  args?: string[];
  /** A path or paths of files or folders with CustomResourceDefinitions, relative to the current folder. */
  crds?: string | string[];
  /** The Kubernetes release of the server, such as "1.36". */
  kubernetesVersion?: string;
  /**
   * The path of the program dovetail-native-RELEASE, or of its folder. The server then validates built-in
   * kinds like an API server. "off" uses only simple rules. With "required", the server does not start without
   * the program. The default is the variable DOVETAIL_NATIVE, or a program next to dovetail or in PATH.
   */
  native?: string;
  /** The path of the program dovetail. The default is the result of find. */
  program?: string;
  /** A file that keeps the objects. Without it, they exist only in memory. */
  store?: string;
  /** The maximum time until the server answers requests, in milliseconds. The default is 30,000. */
  timeout?: number;
}

/** A server with its own objects. It stops when the process that started it ends. */
export interface Server {
  /** The address, such as https://127.0.0.1:34567. */
  readonly url: string;
  /** The bearer token that requests need. */
  readonly token: string;
  /** The certificate of the server in PEM. */
  readonly ca: string;
  /** The path of a kubeconfig. */
  readonly kubeconfig: string;
  /** Variables for programs that use the server: KUBECONFIG. */
  readonly env: { KUBECONFIG: string };
  /** Whether the server is running. */
  readonly running: boolean;
  /** The messages of the server. */
  readonly messages: string;
  /** Stops the server. It may be called more than once. */
  stop(): Promise<void>;
}
