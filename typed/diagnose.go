// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
)

// Diagnose returns what is probably not meant in config, which is to be applied
// to tv: items that lack a key without default while one item of tv agrees with
// them on all other keys, and empty keys that have a default. For the packages
// of this module.
func (tv TypedValue) Diagnose(config *TypedValue) diag.Findings {
	_, live, _ := tv.Plain()
	n, tree, _ := config.Plain()
	return engine.Diagnose(n, live, tree)
}

// FilledKeys returns the keys of list items that were not written but taken
// from a default. For the packages of this module.
func (tv TypedValue) FilledKeys() diag.Findings {
	n, tree, _ := tv.Plain()
	return engine.FilledKeys(n, tree)
}
