// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy evaluates ValidatingAdmissionPolicies and MutatingAdmissionPolicies without a
// cluster.
//
// Compile the policies once with [New], and set the resulting [Set] in a server of package
// kube/predict:
//
//	set, err := policy.New(objects, policy.Options{Kinds: catalog.Kinds(), Types: types})
//	server := &predict.Server{ /* … */ Policies: set}
//	stored, err := server.Predict(request)
//
// The slice objects contains policies with their bindings. It also contains the params that the
// bindings need, and the Namespaces for namespaceSelector. If a policy denies a request, the error
// is a *fieldmanager.RequestError with a server's status and message. Expressions are evaluated
// with the API server's own libraries. To keep these out of other programs, this package is a
// separate module.
//
// Policies are selected as on a server: by match constraints, by the match resources of the
// bindings, and by match conditions. A policy is evaluated once for each of its params. Mutating
// policies run one after the other, sorted by the names of policies and bindings. A policy whose
// reinvocationPolicy is IfNeeded runs again if another policy changes the object after it. Servers
// do not define the order of policies, so a server's result can differ if the order affects the
// result.
//
// # Limits
//
// Only a server can evaluate expressions that use the authorizer. A policy with such an expression
// is not evaluated, and [predict.AdmissionResult] lists it. [Options.User] is the user who makes
// the request. If User is nil, a policy that reads the user causes an error. A policy that needs a
// Namespace or params also causes an error if objects does not contain them.
//
// Policies cannot read managed fields, or values that only a server knows. Policies do not run for
// the subresource scale, because its requests contain a Scale instead of the stored object.
package policy
