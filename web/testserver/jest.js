// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { start } = require("./index.js");

/**
 * Starts a server before each test of the file or of the describe block, and stops it after the test.
 * Returns an object with the properties of the current server.
 */
function useServer(options = {}, hooks = globalThis) {
  return serverBetween(options, hooks, "beforeEach", "afterEach");
}

/**
 * Starts one server before the tests of the file or of the describe block, and stops it after them.
 * Returns an object with the properties of the server.
 */
function useSharedServer(options = {}, hooks = globalThis) {
  return serverBetween(options, hooks, "beforeAll", "afterAll");
}

/** Starts a server in the hook named before, and stops it in the hook named after. */
function serverBetween(options, hooks, before, after) {
  if (!hooks[before] || !hooks[after]) {
    throw new Error(`there are no functions ${before} and ${after}: call this function in a test file, or pass them as its second argument`);
  }
  let server = null;
  hooks[before](async () => { server = await start(options); });
  hooks[after](async () => {
    await server?.stop();
    server = null;
  });
  return new Proxy({}, {
    get(_, name) {
      if (server === null) {
        throw new Error(`the server runs only during the tests: use it in a test or in ${before}`);
      }
      return server[name];
    },
  });
}

module.exports = { useServer, useSharedServer };
