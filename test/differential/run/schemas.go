// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
)

// Version4 has the policies that compat/v4 sets for the whole process. It omits ShareTypes,
// because that policy can change a schema when the schema is first used.
var Version4 = schema.Policies{MissingKeys: schema.StrictKeys, Version: schema.Version4}

// schemas caches the schemas that an engine read most recently.
type schemas struct {
	read map[schemaKey]schemaResult
}

type schemaKey struct {
	text    string
	literal bool
}

type schemaResult struct {
	schema engine.Schema
	err    error
}

const schemasKept = 64

func (s *schemas) get(e engine.Engine, sc *scenario.Schema) (engine.Schema, error) {
	key := schemaKey{sc.Text(), sc.Literal}
	r, ok := s.read[key]
	if !ok {
		if s.read == nil || len(s.read) >= schemasKept {
			s.read = map[schemaKey]schemaResult{}
		}
		r.schema, r.err = e.Schema(key.text, !key.literal)
		s.read[key] = r
	}
	return r.schema, r.err
}
