// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package convert converts objects of built-in kinds to another API version, as an API
// server does.
//
//	v2, err := convert.Builtin(openapi.Builtin(openapi.Options{}), object, "autoscaling/v2")
//
// If two versions have the same fields, only apiVersion changes. HorizontalPodAutoscalers
// have different fields in autoscaling/v1 and v2, so rules convert them. Annotations store
// the fields that v1 lacks. Rules also convert Events between v1 and events.k8s.io/v1, which
// are two versions of the same objects, and the claims and slices of resource.k8s.io. Any other
// conversion returns [ErrUnknown], so no field is lost silently. There is one exception: a
// PodCertificateRequest of v1beta1 loses the fields that v1 lacks, as on a server. A test in
// test/builtin compares the results with Kubernetes' own conversions.
package convert
