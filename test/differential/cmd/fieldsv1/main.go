// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command fieldsv1 makes random changes to FieldsV1 documents, and reads the documents with
// Dovetail and with structured-merge-diff v6 or v4. It compares the results. For v7, use
// test/v7/cmd/fieldsv1.
//
//	go run ./cmd/fieldsv1 -n 5000000 -seed 1
//	go run ./cmd/fieldsv1 -n 1 -seed 1 -from 4711    one document again
package main

import (
	"flag"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
)

func main() {
	v4 := flag.Bool("v4", false, "compare compat/v4 with structured-merge-diff v4")
	fieldsv1.Main(func() (theirs, own fieldsv1.Codec) {
		if *v4 {
			schema.SetProcessPolicies(run.Version4)
			return upstream4.FieldsV1(), ours.FieldsV1()
		}
		return upstream.FieldsV1(), ours.FieldsV1()
	})
}
