// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy sets the schema policies of every program that is built with this module. By
// default, schemas behave like structured-merge-diff v6. With the build tag
// declarativedefaults, they follow KEP-1929 instead (see schema.Schema.DeclarativeDefaults).
//
// If several schemas contain equal types, these types share memory. This matters for programs
// such as API servers, which have a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

const missingKeys = schema.OptionalKeys

func init() {
	schema.SetProcessPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, MissingKeys: missingKeys, ShareTypes: true})
}
