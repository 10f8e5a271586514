// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package testserver is an API server for tests. It runs inside the test's own process and
// needs no installation. Server-side apply, managed fields, defaults and conflicts work as in
// Kubernetes. Call [Start], and pass its Config to any client:
//
//	server, err := testserver.Start(testserver.Options{Definitions: [][]byte{widgets}})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	c, err := client.New(server.Config(), client.Options{})
//
// [New] returns only the http.Handler. Package kube/predict computes the result of each
// request. A real server of the same release stores the same objects and managed fields,
// except for values that only a server knows.
//
// # What it does
//
// The server serves discovery, OpenAPI, and all kinds that an API server of the release
// stores. It serves custom resources as soon as their definitions are stored. It supports
// create, get, list with selectors and pages, replace, the four kinds of patch, apply,
// delete, watch with bookmarks and initial events, dry runs, and the subresources status
// and scale. Request bodies can be JSON, YAML or protocol buffers. Responses are JSON.
// Objects are kept in memory. With Options.File, they are also kept in a file, from which
// the next server can read them.
//
// # Limits
//
// The server is not a control plane: there are no controllers, no scheduler, no garbage
// collector and no kubelet. For example, a deletion with foreground propagation never
// finishes. Requests are not authorized, and webhooks and admission policies are not
// called. Without Options.Native, built-in kinds are validated only by simple rules:
// types, metadata, values of single fields, and immutable fields. Addresses and ports are
// not allocated. Custom resources cannot be converted by a webhook. The only subresources
// are status, scale and finalize.
//
// Some kinds, such as Event, are in two groups. The server stores their objects for each
// group separately. Each page of a list shows the objects at the time of its own request.
// A watch that is slower than the writes is closed, and the client must list again.
//
// The size of request bodies, objects and events is limited, and so is the number of
// concurrent requests and watches.
package testserver
