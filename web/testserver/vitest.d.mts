// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import type { TestAPI } from "vitest";
import type { Options, Server } from "./index.js";

/** Returns Vitest's test with the fixture server: a server of its own for each test that uses it. */
export function testWithServer(options?: Options): TestAPI<{ server: Server }>;

/** Vitest's test with a server without options. */
export const test: TestAPI<{ server: Server }>;

/**
 * Starts one server before the tests of the file or of the describe block, and stops it after them. The
 * tests see the objects of each other. Its result has the properties of the server.
 */
export function useSharedServer(options?: Options): Server;
