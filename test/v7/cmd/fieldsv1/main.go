// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command fieldsv1 makes random changes to FieldsV1 documents, and reads the documents with
// Dovetail and with structured-merge-diff v7. It compares the results.
//
//	go run ./cmd/fieldsv1 -n 2000000 -seed 1
package main

import (
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	v7 "github.com/dovetail-ssa/dovetail/test/v7"
	"github.com/dovetail-ssa/dovetail/test/v7/upstream7"
)

func main() {
	fieldsv1.Main(func() (theirs, own fieldsv1.Codec) {
		schema.SetProcessPolicies(schema.Policies{Version: schema.Version7})
		return v7.Steady(upstream7.FieldsV1()), v7.Steady(ours.FieldsV1())
	})
}
