// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

// outcome has all results of one engine in one step.
type outcome struct {
	panicked  string
	err       error
	conflicts []engine.Conflict
	conflict  bool
	objects   []object
	sets      []namedSet
	facts     []string
	// lines has texts in which the order of lines does not matter.
	lines    [][]string
	managers []engine.Manager
	// violations lists mistakes that can be detected without a second engine, for example that
	// the engine modified its input.
	violations []violation
	// lenient is set if the comparison ignores the texts of errors.
	lenient bool
	// reflected is set if errors may contain printed Go structs.
	reflected bool
	noop      bool
	// noted has the ids of accepted differences that occurred.
	noted []string
	// fieldSetFailed is set if an extraction with keys fails because of a field set.
	fieldSetFailed bool
}

type violation struct{ aspect, detail string }

// object is an object that an operation returned. There are three different empty results: no
// object, an object without a value, and null.
type object struct {
	name    string
	missing bool
	present bool
	data    any
	// shared has one entry for each map and list in data. The entry is true if an input
	// contains the same map or list in memory.
	shared []bool
}

type namedSet struct {
	name string
	set  engine.Set // nil if the operation returned no set
}

// mismatch is one difference between two outcomes.
type mismatch struct {
	aspect     string
	want, have string
}

// compare returns the first difference between two outcomes, or nil. It compares printed sets
// only if printed is true, because printing is slow.
func compare(want, have *outcome, printed bool) *mismatch {
	if m := compareErrors(want, have); m != nil {
		return m
	}
	if m := compareObjects(want.objects, have.objects, want.reflected); m != nil {
		return m
	}
	if len(want.sets) != len(have.sets) {
		return &mismatch{"sets", fmt.Sprint(len(want.sets)), fmt.Sprint(len(have.sets))}
	}
	for i := range want.sets {
		if m := compareSets(want.sets[i].name, want.sets[i].set, have.sets[i].set, printed); m != nil {
			return m
		}
	}
	if m := compareFacts(want, have); m != nil {
		return m
	}
	if m := compareLines(want, have); m != nil {
		return m
	}
	return compareManagers(want.managers, have.managers, printed)
}

func compareLines(want, have *outcome) *mismatch {
	for i, w := range want.lines {
		h := have.lines[i]
		if slices.Equal(w, h) {
			continue
		}
		if sortedRunes(strings.Join(w, "\n")) != sortedRunes(strings.Join(h, "\n")) {
			return &mismatch{"lines", strings.Join(w, "\n"), strings.Join(h, "\n")}
		}
		have.noted = append(have.noted, "managers-string")
	}
	return nil
}

func compareFacts(want, have *outcome) *mismatch {
	for i, w := range want.facts {
		h := ""
		if i < len(have.facts) {
			h = have.facts[i]
		}
		switch {
		case w == h:
		case strings.HasPrefix(w, engine.StringFact) && sortedRunes(w) == sortedRunes(h):
			have.noted = append(have.noted, "to-string-order")
		case strings.HasPrefix(w, engine.JSONFact) && h == engine.JSONFact && have.facts[i-1] == "json error true":
			have.noted = append(have.noted, "to-json-errors")
		case strings.HasPrefix(w, engine.EqualFact) && moreEqual(w, h):
			have.noted = append(have.noted, "typeref-equals")
		case w == engine.YAMLPanics && h == engine.YAMLFails:
			have.noted = append(have.noted, "to-yaml-panic")
		default:
			return &mismatch{"fact", strings.Join(want.facts[i:], "\n"), strings.Join(have.facts[min(i, len(have.facts)):], "\n")}
		}
	}
	return nil
}

// moreEqual reports whether w and h differ only in words that are "false" in w and "true" in h.
func moreEqual(w, h string) bool {
	a, b := strings.Fields(w), strings.Fields(h)
	for i := range a {
		if i >= len(b) || a[i] != b[i] && (a[i] != "false" || b[i] != "true") {
			return false
		}
	}
	return len(a) == len(b)
}

func compareObjects(want, have []object, reflected bool) *mismatch {
	if len(want) != len(have) {
		return &mismatch{"objects", fmt.Sprint(len(want)), fmt.Sprint(len(have))}
	}
	for i := range want {
		w, h := &want[i], &have[i]
		if w.missing != h.missing || w.present != h.present || !tree.Equal(w.data, h.data) {
			return &mismatch{w.name, w.String(), h.String()}
		}
		for j := range h.shared {
			if h.shared[j] && !w.shared[j] && !(reflected && structs.Leaf(containerPath(h.data, j))) {
				return &mismatch{w.name + " aliases input", "new container", "shared: " + containerPath(h.data, j) + " of " + tree.Text(h.data)}
			}
		}
	}
	return nil
}

// containerPath returns the path of the nth map or list in a value.
func containerPath(v any, n int) string {
	at := ""
	tree.WalkPaths(v, "", func(path string, _ any) {
		if n == 0 {
			at = path
		}
		n--
	})
	return at
}

func (o *object) String() string {
	switch {
	case o.missing:
		return "no object"
	case !o.present:
		return "no value"
	}
	return tree.Text(o.data)
}

func compareSets(name string, want, have engine.Set, printed bool) *mismatch {
	if want == nil || have == nil {
		if want == nil && have == nil {
			return nil
		}
		return &mismatch{name, setText(want), setText(have)}
	}
	w, wErr := want.JSON()
	h, hErr := have.JSON()
	if (wErr == nil) != (hErr == nil) || !bytes.Equal(w, h) {
		return &mismatch{name, setText(want), setText(have)}
	}
	if printed || wErr != nil {
		if w, h := want.String(), have.String(); w != h && sortedRunes(w) != sortedRunes(h) {
			return &mismatch{name + " printed", w, h}
		}
	}
	return nil
}

// sortedRunes sorts the characters of a text. Go prints maps in random order, so printed texts
// with maps can only be compared after sorting.
func sortedRunes(s string) string {
	r := []rune(s)
	slices.Sort(r)
	return string(r)
}

func setText(s engine.Set) string {
	if s == nil {
		return "no set"
	}
	b, err := s.JSON()
	if err != nil {
		return "set without JSON (" + err.Error() + "):\n" + s.String()
	}
	return string(b)
}

func compareManagers(want, have []engine.Manager, printed bool) *mismatch {
	same := len(want) == len(have)
	for i := 0; same && i < len(want); i++ {
		w, h := &want[i], &have[i]
		same = w.Name == h.Name && w.Version == h.Version && w.Applied == h.Applied
		if same && compareSets("", w.Set, h.Set, printed) != nil {
			same = false
		}
	}
	if same {
		return nil
	}
	return &mismatch{"managers", managersText(want), managersText(have)}
}

func managersText(managers []engine.Manager) string {
	var b strings.Builder
	for _, m := range managers {
		fmt.Fprintf(&b, "%s %s applied=%v %s\n", m.Name, m.Version, m.Applied, setText(m.Set))
	}
	return b.String()
}
