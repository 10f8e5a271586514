// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predict predicts the object that a Kubernetes API server would store for a request,
// with its defaults and its managed fields. It also reports the fields of the request that
// the server drops.
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
// Objects are plain data, as encoding/json and YAML decode them. The package never modifies
// these objects, but results share maps and lists with them. If the server would reject the
// request, the error has a type of package fieldmanager, such as *fieldmanager.ConflictError.
//
// # Steps of a request
//
//   - FieldManager.Converter converts the live object to the version of the request. The live
//     object also gets missing defaults, as it does when a server reads it from its store. A
//     custom resource loses fields that its definition does not declare. If the definition is
//     a [Reader], the live object and the result get the defaults of the storage version.
//   - Metadata that only a server writes keeps its live value, even if the request
//     contains another value. Objects of cluster-scoped kinds lose their namespace.
//   - With Server.GoForm, objects of built-in kinds are converted to the form that their Go
//     types write. Predict converts the live object, the object of an update before the
//     merge, and the object of an apply after the merge. The creator of an object therefore
//     owns fields that Go's encoder adds, such as "resources: {}".
//   - Defaults are set before the merge of an update, and after the merge of an apply.
//     Therefore, a manager that creates an object with an update owns the defaults. After an
//     apply, nobody owns them.
//   - If status is a subresource, the main endpoint does not store the field status,
//     and the status endpoint stores no other field.
//   - Package fieldmanager merges the objects and updates the managed fields.
//   - A request to the subresource scale may contain a Scale object. As on a server, only the
//     Scale is merged, and only its replicas have owners. If nobody owns the replicas before
//     an update, nobody owns them afterwards. For a custom resource, a [Scaler] returns the
//     path of the replicas.
//   - The admission plugins that are on by default change the object or reject the request.
//     Besides the object of the request, the plugins see only the objects in Server.Others.
//     If Server.PodSecurity is set, PodSecurity is one of the plugins.
//   - Server.Policies change the merged object. Fields that the policies change have
//     no owner. Later, the policies validate the object that is about to be stored.
//   - The strategy of the kind comes last. If the kind has metadata.generation, the
//     strategy sets it to 1 in a new object, and to a higher value after a relevant
//     change. A Service keeps addresses and ports that an update omits, and loses
//     those that its new type does not have. New Namespaces, Pods, Jobs and Services
//     get values from their strategies.
//
// For a custom resource, Server.Custom returns its [Definition]. A Version of package
// kube/crd is a Definition. This package does not import kube/crd, to avoid the
// dependencies of that package.
//
// To resolve conflicts with package resolve, call [Server.Prepare]. Pass FieldManager, Live
// and Object of the result to package resolve. Then pass the result of that package to
// [PreparedRequest.Prediction].
//
// # Finding the cause of a wrong prediction
//
// If [Request.Trace] is set, it is called after each stage of the prediction, with the
// object before and after the stage.
//
// # Values that only a server knows
//
// Some stored values cannot be predicted, such as the uid of a new object or an allocated
// address. [ServerFields] lists them by kind, and [Prediction.OnlyServer] contains the
// paths of these values in one object. To compare a prediction with a stored object, ignore
// exactly these paths. [RemoveCounters] removes counters, which change only if another
// field changes.
//
// # Limits
//
// The package validates only the values that [Server.InvalidValues] describes. Predict does not
// check whether the request changes immutable fields: for a built-in kind, call the method Check of
// package kube/immutable with the live and the predicted object. The package does not call
// webhooks. It evaluates admission policies only if you set Server.Policies. Package
// kube/policy implements the interface Policies. Without Server.GoForm, values keep the
// form of the request, such as 1000m instead of 1.
package predict
