// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package testserver is an API server for tests. It runs in the process of the test, and
// needs no installation. It implements server-side apply, managed fields, defaults and
// conflicts as Kubernetes does. Call [Start], and give its Config to any client:
//
//	server, err := testserver.Start(testserver.Options{Definitions: [][]byte{widgets}})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	c, err := client.New(server.Config(), client.Options{})
//
// [New] returns only the http.Handler. Package kube/predict predicts the result of each
// request. A server of the same release stores the same objects and managed fields,
// except for values that only a server knows.
//
// # What it does
//
// It serves discovery, OpenAPI, and all kinds that an API server of the release stores.
// It also serves custom resources, as soon as their definitions are stored. It implements
// create, get, list with selectors and pages, replace, the four kinds of patch, apply,
// delete, watch with bookmarks and initial events, dry runs, and the subresources status
// and scale. Request bodies are JSON, YAML or protocol buffers; responses are JSON.
// Objects are in memory. With Options.File they are also in a file, for the next server.
//
// # Limits
//
// The server is not a control plane. It has no controllers, no scheduler, no garbage collector
// and no kubelet. So a deletion with foreground propagation never finishes. It does not
// authorize requests, and does not call webhooks or admission policies. Without Options.Native,
// built-in kinds are only validated by simple rules: types, metadata, values of single fields,
// and immutable fields. Addresses and ports are not allocated. Webhooks do not convert custom
// resources. The only subresources are status, scale and finalize. If a kind is in two groups,
// such as Event, the server stores each object of the kind separately for each group. Each page
// of a list shows the objects at the time of its request. If a watch is slower than the writes,
// the server closes it, and the client must list again.
//
// Request bodies, objects, events, concurrent requests and watches have limits.
package testserver
