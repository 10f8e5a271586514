// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable finds changes of built-in objects that an API server rejects. Servers
// check these restrictions in Go code, so no published schema contains them.
//
// Start from [New], which returns a release. Call its method [Release.Check] with the
// stored object and the object that replaces it:
//
//	release, err := immutable.New("1.37")
//	typ, _ := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment")
//	found, err := release.Check(typ, live, object)
//	for _, f := range found {
//		fmt.Println(f, f.Hint)
//	}
//
// Restrictions that do not depend on other fields are transition rules. [Release.Rules]
// lists them, and [Release.Type] adds them to a type. The rules of each release come
// from a table. A generator in test/immutable creates the table by running Kubernetes'
// update strategies on every field. Restrictions that depend on other fields are code
// in this package, for example those for immutable ConfigMaps, suspended Jobs, bound
// claims and gated Pods.
//
// The types for merging do not contain these rules, so merging takes no extra time for
// them. [Release.Check] covers only the main endpoint. Updates of subresources (status,
// scale, resize) have other restrictions, which the package does not know. It also does
// not know restrictions by admission plugins, webhooks or the storage layer, or the
// restrictions on the metadata of every kind, such as the finalizers of an object that is
// being deleted. It never calls a server. If it cannot decide, it allows the update. For example, it does not
// report a missing field that Kubernetes may fill in.
package immutable
