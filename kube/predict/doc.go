// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predict predicts the object that a Kubernetes API server would store for a
// request, with its defaults and its managed fields. It also reports fields that the
// request loses.
//
// Describe the server with a [Server], and call [Server.Predict] with a [Request]:
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
// Objects are plain data, as encoding/json and YAML decode them. The package never
// modifies them; results share parts with them. If the server would reject the request,
// the error has a type of package fieldmanager, such as *fieldmanager.ConflictError.
//
// # Steps of a request
//
//   - FieldManager.Converter converts the live object to the version of the request. The
//     live object gets missing defaults, as when a server reads its store. A custom
//     resource loses fields that its definition does not have. If its definition is a
//     [Reader], the live object and the result get the defaults of the storage version.
//   - Metadata that only a server writes keeps its live value, whatever the request has.
//     Objects of cluster-scoped kinds lose their namespace.
//   - With Server.GoForm, objects of built-in kinds get the form in which their Go types
//     are encoded. This changes the live object, the object of an update when it is
//     decoded, and the merged object of an apply. So the creator of an object owns the
//     field resources: {} that Go's encoder adds.
//   - An update gets defaults before the merge, and an apply after it. So the creator of
//     an object owns its defaults after an update, and nobody owns them after an apply.
//   - If status is a subresource, the main endpoint does not store the field status,
//     and the status endpoint stores no other field.
//   - Package fieldmanager merges the objects and updates the managed fields.
//   - A request to the subresource scale may contain a Scale object. The owners change
//     as in the server, which merges the Scale; a Scale only has the owners of the
//     replicas. If nobody owns the replicas, nobody owns them after an update. For a
//     custom resource, a [Scaler] returns the path of the replicas.
//   - The admission plugins that are on by default change the object or reject the
//     request. They only see the objects in Server.Others. Server.PodSecurity
//     ([PodSecurity]) is one of them.
//   - Server.Policies ([Policies]) change the merged object; nobody owns their changes.
//     Then they validate the object that is about to be stored.
//   - The strategy of the kind comes last. If the kind has metadata.generation, it is 1
//     for a new object, and grows with relevant changes. A Service keeps the addresses
//     and ports that an update leaves out, and loses those that its new type does not
//     have. New Namespaces, Pods, Jobs and Services get the values that their strategies
//     set.
//
// Custom resources need their [Definition]: Server.Custom returns it. A Version of
// package kube/crd is a Definition. This package does not import kube/crd, and so avoids
// its dependencies.
//
// To resolve conflicts, call [Server.Prepare], and pass the FieldManager, Live and Object
// of the result to package resolve. Then call [PreparedRequest.Prediction] with the
// result of package resolve.
//
// # When a prediction is wrong
//
// [Request.Trace] is called after each stage with the object before and after it.
//
// # Values that only a server knows
//
// Some stored values cannot be predicted, such as the uid of a new object or an allocated
// address. [ServerFields] lists them by kind, and [Prediction.OnlyServer] has their paths in
// one object. To compare a prediction with a stored object, ignore exactly these paths.
// [RemoveCounters] removes counters, which change only if another field changes.
//
// # Limits
//
// The package validates only the values that [Server.CheckInvalid] describes. It does not call
// webhooks. It evaluates admission policies only if you set Server.Policies; package kube/policy
// implements this interface. Without Server.GoForm, values keep the form of the request, such as
// 1000m instead of 1.
package predict
