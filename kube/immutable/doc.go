// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable checks which changes of built-in objects an API server rejects. Servers
// implement these checks in code, so no published schema has them.
//
// Start from [New], which returns a release, and call its [Release.Check] with the stored object
// and the object that replaces it:
//
//	release, err := immutable.New("1.37")
//	typ, _ := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment")
//	found, err := release.Check(typ, live, object)
//	for _, f := range found {
//		fmt.Println(f, f.Hint)
//	}
//
// Restrictions that do not depend on other fields are transition rules. [Release.Rules] lists
// them, and [Release.Type] adds them to a type. They come from a table for each release. The
// generator in test/immutable makes it by calling the update strategies of Kubernetes for every
// field. Restrictions that depend on other fields are code in this package, for example for
// immutable ConfigMaps and Secrets, suspended Jobs, bound claims and gated Pods.
//
// The types that merges use do not have these rules, so the rules cost nothing unless you call this
// package. [Release.Check] covers only the main endpoint. Requests to a subresource (status, scale,
// resize) have other restrictions, which the package does not know. The package never calls a
// server. It does not know restrictions by admission plugins, webhooks or the storage layer. If the
// package cannot decide, it allows the update: for example, it does not report a missing field that
// Kubernetes fills in.
package immutable
