// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

import type { Options, Server } from "./index.js";

/**
 * Starts a server before each test of the file or of the describe block, and stops it after the test. Its
 * result has the properties of the server of the current test.
 */
export function useServer(options?: Options): Server;

/**
 * Starts one server before the tests of the file or of the describe block, and stops it after them. The
 * tests see the objects of each other. Its result has the properties of the server.
 */
export function useSharedServer(options?: Options): Server;
