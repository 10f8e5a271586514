// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy evaluates ValidatingAdmissionPolicies and MutatingAdmissionPolicies for
// a request, without a cluster.
//
// Call [New], which compiles policies once, and give the [Set] to a server of package
// kube/predict:
//
//	set, err := policy.New(objects, policy.Options{Kinds: catalog.Kinds(), Types: types})
//	server := &predict.Server{ /* … */ Policies: set}
//	stored, err := server.Predict(request)
//
// The argument objects has policies and their bindings, the params of the bindings, and the
// Namespaces for namespaceSelector. The package evaluates expressions with the libraries of the API
// server, so it is a separate module. If a policy denies a request, the error is a
// *fieldmanager.RequestError with the status and message of a server.
//
// The package handles requests as a server does. It selects policies by their match constraints,
// the match resources of their bindings, and their match conditions. It evaluates a policy once for
// each of its params. Mutating policies change the object one after the other, sorted by the names
// of policies and bindings. If another policy changes the object later, a policy may run again, as
// its reinvocationPolicy says. A server does not define an order of policies. If the order matters,
// the result of a server may differ.
//
// # Limits
//
// Only a server can evaluate expressions that use the authorizer. The package does not evaluate a
// policy with such an expression, and lists it in [predict.AdmissionResult]. [Options.User] is the
// user of the request. Without it, a policy that reads the user is an error. If a policy needs a
// Namespace or params that are not in the objects, this is an error, too. Policies cannot read
// managed fields, or values that only a server knows. They are not evaluated for the subresource
// scale, because its requests contain another object.
package policy
