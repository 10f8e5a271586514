// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package convert converts objects of built-in kinds to another API version, as an API
// server does.
//
//	v2, err := convert.Builtin(openapi.Builtin(openapi.Options{}), object, "autoscaling/v2")
//
// If two versions have the same fields, only apiVersion changes. The autoscalers of
// autoscaling/v1 and v2 have different fields. Rules convert them, and store the fields that v1
// does not have in annotations. All other conversions return [ErrUnknown], so that no field is
// lost silently. test/builtin compares the results with Kubernetes' own conversions.
package convert
