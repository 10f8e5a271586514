// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package convert brings objects of built-in kinds from one version to another, as an API
// server does.
//
//	v2, err := convert.Builtin(openapi.Builtin(openapi.Options{}), object, "autoscaling/v2")
//
// Two versions that have the same fields are one object with another apiVersion. The
// autoscalers of autoscaling/v1 and v2 have not; rules convert them, with the annotations
// that carry what v1 has no fields for. All else is refused with [ErrUnknown]: nothing is
// lost without a word. test/builtin compares with Kubernetes' own conversions.
package convert
