// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const { after, afterEach, before, beforeEach } = require("node:test");
const jest = require("./jest.js");

/** Starts a server before each test, and stops it after the test. */
function useServer(options = {}) {
  return jest.useServer(options, { beforeEach, afterEach });
}

/** Starts one server before the tests of the file or of the describe block, and stops it after them. */
function useSharedServer(options = {}) {
  return jest.useSharedServer(options, { beforeAll: before, afterAll: after });
}

module.exports = { useServer, useSharedServer };
