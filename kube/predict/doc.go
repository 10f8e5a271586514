// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predict says what an API server of Kubernetes would store of a request: the
// object with its defaults and its managed fields, and what the request lost on the way.
//
// Start from a [Server], which says what is known of it, and ask it to [Server.Predict] a
// [Request]:
//
//	catalog, err := openapi.BuiltinRelease("1.37", openapi.Options{})
//	release, err := defaults.New("1.37")
//	server := &predict.Server{
//		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog.Type)},
//		Kind:         catalog.Kind,
//		Release:      release,
//	}
//	stored, err := server.Predict(&predict.Request{
//		Verb: predict.Apply, Manager: "gitops", Time: time.Now(), Object: config, Live: live,
//	})
//
// Objects are plain data, as encoding/json and YAML decode them. They are not written to;
// what comes out shares parts with them. A request that the server refuses is an error of
// package fieldmanager, such as a *fieldmanager.ConflictError.
//
// # The way of a request
//
//   - The live object is brought into the version of the request by
//     FieldManager.Converter, and gets the defaults that it lacks, as when it is read from
//     the store. A custom resource loses what its definition does not know. With a [Reader],
//     its defaults are those of the version that is stored, and so are those of what comes
//     of the request.
//   - What only a server writes of metadata is that of the live object, whatever the
//     request says. Kinds that are in no namespace lose that.
//   - With Server.GoForm, objects of built-in kinds are written as Go's types do: the live
//     object, an update when it is decoded, and what an apply has merged. So who creates
//     an object owns the resources: {} that Go writes.
//   - An update is defaulted before it is merged, what an apply has merged after that: so
//     the defaults of a new object are owned by who creates it, and by nobody if it is
//     applied.
//   - The endpoint does not store status of a kind that has it as a subresource, and stores
//     nothing else at that.
//   - Package fieldmanager merges.
//   - A request to scale notes owners as the server does, which merges a Scale that has those of
//     the replicas alone: replicas that nobody owns are scaled by nobody. Of a custom resource a
//     [Scaler] says which field that is.
//   - Admission plugins that are on by default write what they do, as far as Server.Others
//     has the objects that they look for, or refuse the request.
//   - Server.Policies change what has been merged ([Policies]), and what they change nobody
//     owns; they judge what is about to be stored.
//   - The strategy of the kind has the last word: metadata.generation is 1 of a new object
//     and grows with what counts for it, of the kinds that have one; a Service keeps the
//     addresses and ports that an update leaves out, and loses those of a type that it is no
//     more of; new Namespaces, Pods, Jobs and Services get what their strategies write.
//
// Custom resources need their definition: Server.Custom finds it, and a Version of package
// kube/crd is one. This package does without, and so without the libraries that come with
// it.
//
// To solve conflicts, [Server.Prepare] the request, give its FieldManager, Live and Object
// to package resolve, and what comes of that to [PreparedRequest.Prediction].
//
// # When a prediction is wrong
//
// [Request.Trace] is called after each stage with the object before and after it.
//
// # What only a server knows
//
// Some of what is stored cannot be predicted, such as the uid of a new object or an address
// that is allocated. [ServerFields] lists it by kinds, with a sentence each, and
// [Prediction.OnlyServer] has the places in one object. So whoever compares a prediction with
// what a server stored leaves these out, and nothing else. [RemoveCounters] leaves out what
// changes only as something else does.
//
// # What it does not do
//
// It validates nothing but what a merge does. Webhooks are not known, and admission policies
// only if Server.Policies are given, which package kube/policy makes. Without
// Server.GoForm, neither is what Go's types write otherwise than a request does, such as 1
// for the quantity 1000m.
package predict
