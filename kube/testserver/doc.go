// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package testserver is an API server for tests, in the process of the test: with server-side
// apply, managed fields, defaults and conflicts as Kubernetes has them, and nothing to install.
// Start from [Start], and give its Config to any client:
//
//	server, err := testserver.Start(testserver.Options{Definitions: [][]byte{widgets}})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	c, err := client.New(server.Config(), client.Options{})
//
// [New] returns the http.Handler alone. What becomes of a request package kube/predict says; a
// server of the same release stores the same, managed fields included, but for what only a server
// knows.
//
// # What it does
//
// It serves discovery, OpenAPI, and all kinds that an API server of the release stores, with
// custom resources as their definitions come: create, get, list with selectors and pages, replace,
// the four kinds of patch, apply, delete, watch with bookmarks and initial events, dry runs, and the
// subresources status and scale. Bodies are JSON, YAML or protocol buffers; answers are JSON. Objects are in
// memory, and with Options.File in a file, too, for the next server.
//
// # What it does not
//
// It is no control plane. There are no controllers, no scheduler, no garbage collector and no
// kubelet: who deletes in the foreground waits for what nobody does. There is no authorisation, and
// no webhook and no admission policy is asked. Without
// Options.Native, built-in kinds are validated by simple rules alone: types, metadata, values of
// single fields, and immutable fields. Addresses and ports are not allocated.
// Custom resources are not converted by webhooks. Other subresources than status, scale and
// finalize are not served. An object of two groups, as Events are, is two objects. The pages of a
// list are of the moment in which they are asked for. Whoever watches and is slower than others
// write is cut off, and has to list again.
//
// Bodies, objects, events, requests at once and watches are bounded.
package testserver
