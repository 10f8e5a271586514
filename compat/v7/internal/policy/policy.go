// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy makes the schemas of a program that is built with this module
// behave as structured-merge-diff v7 does, and its JSON too. With the build tag
// declarativedefaults, they follow KEP-1929 instead: see
// schema.Schema.DeclarativeDefaults.
//
// Equal types of several schemas share memory. A program such as an API server has
// a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

func init() {
	schema.SetProcessPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, ShareTypes: true, Version: schema.Version7})
}
