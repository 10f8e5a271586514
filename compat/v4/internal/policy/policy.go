// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package policy sets the schema policies of every program that is built with this module. By
// default, schemas behave like structured-merge-diff v4. With the build tag
// declarativedefaults, they follow KEP-1929 instead (see schema.Schema.DeclarativeDefaults).
//
// A program has only one set of policies. If it also replaces structured-merge-diff v6 or v7 with
// Dovetail, the packages of this module behave like the highest of these versions, and not like
// v4: list items may lack keys, ExtractItems keeps empty maps and lists, and decoders reject text
// after a value. DIFFERENCES.md lists these behaviors in "Several versions in one program".
//
// The policies also make schemas share equal types (see schema.Policies.ShareTypes). This saves
// memory in programs such as API servers, which have a schema for each custom resource definition.
package policy

import "github.com/dovetail-ssa/dovetail/schema"

// structured-merge-diff v4 rejects a list item if a key is missing and has no default.
const missingKeys = schema.StrictKeys

func init() {
	schema.SetInitialPolicies(schema.Policies{DeclarativeDefaults: declarativeDefaults, MissingKeys: missingKeys, ShareTypes: true, Version: schema.Version4})
}
