// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

var implementations = map[string]scopes.Answerer{"Dovetail": Ours, "apimachinery": Apimachinery}

// group returns the cases of level 3.
func group(t *testing.T) cases.Group {
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(g cases.Group) bool { return g.Name == "managed" })]
}

// TestImplementations checks that both field managers give the expected results for all cases
// of level 3.
func TestImplementations(t *testing.T) {
	for name, by := range implementations {
		got, err := scopes.Results(name, by, model.V6, 3)
		if err != nil {
			t.Fatal(err)
		}
		if t.Log(got); strings.Count(got, "\n") != 1 {
			t.Error("some cases fail")
		}
	}
}
