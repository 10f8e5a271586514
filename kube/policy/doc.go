// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy evaluates ValidatingAdmissionPolicies and MutatingAdmissionPolicies
// without a cluster.
//
// Compile the policies once with [New], and give the [Set] to a server of package
// kube/predict:
//
//	set, err := policy.New(objects, policy.Options{Kinds: catalog.Kinds(), Types: types})
//	server := &predict.Server{ /* … */ Policies: set}
//	stored, err := server.Predict(request)
//
// objects contains policies with their bindings. It also contains the params that the
// bindings need, and the Namespaces for namespaceSelector. Expressions are evaluated with
// the API server's own libraries, so the package is a separate module. If a policy denies
// a request, the error is a *fieldmanager.RequestError with a server's status and message.
//
// Policies are selected like on a server: by match constraints, by the match resources of
// the bindings, and by match conditions. A policy is evaluated once for each of its
// params. Mutating policies run one after the other, sorted by the names of policies and
// bindings. A policy whose reinvocationPolicy is IfNeeded runs again if another policy
// changes the object after it. Servers do not define the order of policies, so if the
// order matters, a server's result may differ.
//
// # Limits
//
// Only a server can evaluate expressions that use the authorizer. A policy with such an
// expression is not evaluated, and [predict.AdmissionResult] lists it. [Options.User] is
// the user who makes the request. Without it, a policy that reads the user causes an
// error. So does a policy that needs a Namespace or params that are not in the objects.
// Policies cannot read managed fields, or values that only a server knows. They do not run
// for the subresource scale, because its requests contain another object.
package policy
