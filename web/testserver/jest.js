// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { start } = require("./index.js");

/**
 * Starts a server before each test of the file or of the describe block, and stops it after the test.
 * Returns an object with the properties of the current server.
 */
function useServer(options = {}, hooks = globalThis) {
  const { beforeEach, afterEach } = hooks;
  if (!beforeEach || !afterEach) {
    throw new Error("useServer needs the functions beforeEach and afterEach: call it in a test file, or pass them as its second argument");
  }
  let server = null;
  beforeEach(async () => { server = await start(options); });
  afterEach(async () => {
    await server?.stop();
    server = null;
  });
  return new Proxy({}, {
    get(_, name) {
      if (server === null) {
        throw new Error("the server runs only during a test: use it in a test or in beforeEach");
      }
      return server[name];
    },
  });
}

module.exports = { useServer };
