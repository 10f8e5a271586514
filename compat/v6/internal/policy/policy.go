// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy sets the schema policies of every program that is built with this module. By
// default, schemas behave like structured-merge-diff v6. With the build tag
// declarativedefaults, they follow KEP-1929 instead (see schema.Schema.DeclarativeDefaults).
//
// A program has only one set of policies. If it also replaces structured-merge-diff v4 with
// Dovetail, the packages of compat/v4 behave like v6, too. If it also replaces v7, the packages of
// this module behave like v7: they write and read JSON and FieldsV1 like v7. DIFFERENCES.md lists
// these behaviors in "Several versions in one program".
//
// The policies also make schemas share equal types (see schema.Policies.ShareTypes). This saves
// memory in programs such as API servers, which have a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

const missingKeys = schema.OptionalKeys

func init() {
	schema.SetInitialPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, MissingKeys: missingKeys, ShareTypes: true})
}
