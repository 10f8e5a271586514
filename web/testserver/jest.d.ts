// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import type { Options, Server } from "./index.js";

/** The functions of a test runner that useServer calls. */
export interface Hooks {
  beforeEach(f: () => Promise<void>): unknown;
  afterEach(f: () => Promise<void>): unknown;
}

/**
 * Starts a server before each test of the file or of the describe block, and stops it after the test. Its
 * result has the properties of the server of the current test. Runners without global hooks, such as
 * node:test, pass their hooks.
 */
export function useServer(options?: Options, hooks?: Hooks): Server;
