// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import type { Options, Server } from "./index.js";

/** The functions of a test runner that useServer calls. */
export interface Hooks {
  beforeEach(f: () => Promise<void>): unknown;
  afterEach(f: () => Promise<void>): unknown;
}

/** The functions of a test runner that useSharedServer calls. */
export interface SharedHooks {
  beforeAll(f: () => Promise<void>): unknown;
  afterAll(f: () => Promise<void>): unknown;
}

/**
 * Starts a server before each test of the file or of the describe block, and stops it after the test. Its
 * result has the properties of the server of the current test. For a runner without global hooks, pass the
 * hooks.
 */
export function useServer(options?: Options, hooks?: Hooks): Server;

/**
 * Starts one server before the tests of the file or of the describe block, and stops it after them. The
 * tests see the objects of each other. Its result has the properties of the server.
 */
export function useSharedServer(options?: Options, hooks?: SharedHooks): Server;
