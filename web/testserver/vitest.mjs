// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import { afterAll, beforeAll, test as base } from "vitest";
import { start } from "./index.js";
import jest from "./jest.js";

/** Returns Vitest's test with the fixture server: a server of its own for each test that uses it. */
export function testWithServer(options = {}) {
  return base.extend({
    // Vitest reads the names of other fixtures from the braces.
    server: async ({}, use) => {
      const server = await start(options);
      try {
        await use(server);
      } finally {
        await server.stop();
      }
    },
  });
}

/** Vitest's test with a server without options. */
export const test = testWithServer();

/**
 * Starts one server before the tests of the file or of the describe block, and stops it after them. Returns
 * an object with the properties of the server.
 */
export function useSharedServer(options = {}) {
  return jest.useSharedServer(options, { beforeAll, afterAll });
}
