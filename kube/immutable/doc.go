// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package immutable knows what an API server does not let an update of a built-in object
// change: what it forbids in code, which no published schema says.
//
// Start from [For], a release, and its [Release.Check], which takes the object as it is stored and
// as it is to be:
//
//	release, err := immutable.New("1.37")
//	typ, _ := openapi.Builtin(openapi.Options{}).Type("apps/v1", "Deployment")
//	found, err := release.Check(typ, live, object)
//	for _, f := range found {
//		fmt.Println(f, f.Hint)
//	}
//
// What is forbidden whatever else an object says are transition rules, which [Release.Type]
// gives to a type: from a table of facts that test/immutable makes by asking
// the update strategies of a release of Kubernetes about every field. [Release.Rules] lists them.
// What depends on other fields (immutable: true of ConfigMaps and Secrets, whether a Job is
// suspended, a claim bound, a Pod gated) are conditions of this package, a file each.
//
// The types that merges and conflicts go by know nothing of all this: nobody pays who does not
// ask. [Release.Check] is about the main endpoint: what a request to a subresource (status,
// scale, resize) may change, strategies of its own say, which were not asked. The package asks
// no server and sees no admission: what plugins and webhooks forbid it does not know, nor what
// the store refuses. In doubt an update is allowed: a field that Kubernetes fills in is not
// missed where it is left out.
package immutable
