// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy sets the schema policies of every program that is built with this module. By
// default, schemas and JSON behave like structured-merge-diff v7. With the build tag
// declarativedefaults, schemas follow KEP-1929 instead (see
// schema.Schema.DeclarativeDefaults).
//
// If several schemas contain equal types, these types share memory. This matters for programs
// such as API servers, which have a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

func init() {
	schema.SetProcessPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, ShareTypes: true, Version: schema.Version7})
}
