// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy sets the schema policies of every program that is built with this module. By
// default, schemas and JSON behave like structured-merge-diff v7. With the build tag
// declarativedefaults, schemas follow KEP-1929 instead (see
// schema.Schema.DeclarativeDefaults).
//
// A program has only one set of policies. If it also replaces structured-merge-diff v4 or v6 with
// Dovetail, the packages of compat/v4 and compat/v6 behave like v7, too. DIFFERENCES.md lists these
// behaviors in "Several versions in one program".
//
// The policies also make schemas share equal types (see schema.Policies.ShareTypes). This saves
// memory in programs such as API servers, which have a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

func init() {
	schema.SetInitialPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, ShareTypes: true, Version: schema.Version7})
}
