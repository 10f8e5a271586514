// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy says what ValidatingAdmissionPolicies and MutatingAdmissionPolicies make of
// a request, without a cluster.
//
// Start from [New], which compiles policies once, and give the [Set] to a server of package
// kube/predict:
//
//	set, err := policy.New(objects, policy.Options{Kinds: catalog.Kinds(), Types: types})
//	server := &predict.Server{ /* … */ Policies: set}
//	stored, err := server.Predict(request)
//
// The objects are policies and their bindings, with the params that these name and the
// Namespaces whose labels they select by. Expressions run with the libraries of the API
// server, and a refusal has its status and its words: a *fieldmanager.RequestError. That is
// why the package is a module of its own.
//
// A request goes the way that it goes in a server: policies are matched by
// match constraints, by those of their bindings and by match conditions; each is
// evaluated once for each of its params; mutating ones change the object one after the other,
// by the names of policies and bindings, and are invoked again as their reinvocationPolicy
// says. A server has no order among policies: where theirs counts, its answer may be another
// one.
//
// # What it does not do
//
// Expressions that ask the authorizer can only be evaluated by a server: a policy that has one
// is not evaluated, and [predict.AdmissionResult] says so. Who makes the request is
// [Options.User]; without it, a policy that asks for that is an error, and so is one that
// needs a Namespace or params that are not given. Policies do not see managed fields, nor
// what only a server knows. The subresource scale has an object of its own, which they are
// not asked about.
package policy
