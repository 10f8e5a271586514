// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// Release has the rules of one minor release of Kubernetes. It is immutable and safe for
// concurrent use.
type Release struct {
	table func() *table
}

// knownReleases has the releases with a table.
var knownReleases = releases.NewFamily(releases.Validation, func(r releases.Release) *Release {
	return &Release{sync.OnceValue(func() *table { return readTable(r.Text(releases.Validation)) })}
})

// Releases returns the minor releases that have a table, such as 1.37, oldest first.
func Releases() []string { return knownReleases.Minors() }

// New returns the rules of a release by its version, such as 1.37 or v1.37.2. It ignores
// the patch release. It fails if the release has no table.
func New(version string) (*Release, error) { return knownReleases.Find(version) }

// For returns the rules for a release, or nil if the release has no table. It does not
// use the table of another release, because that table could reject values that a
// server accepts, for example in fields whose feature gate is off in the release.
func For(version string) *Release {
	r, err := New(version)
	if err != nil {
		return nil
	}
	return r
}

// Version returns the release that the table was made from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// table has the kinds, and the types with their rules. It is written as text:
//
//	release v1.37.2
//
//	kind 29 apps/v1 Deployment io.k8s.api.apps.v1.Deployment name=subdomain finalizers
//
//	io.k8s.api.core.v1.Container
//	 name -
//	  format label nonempty ""
//	  required
//	 ports []io.k8s.api.core.v1.ContainerPort
//	  unique name
//
// The lines below a type are its fields with their types. The lines below a field are
// its rules, see readRule.
type table struct {
	version string
	kinds   map[[2]string]*kindRules
	// lines has the text of types that have not been read yet.
	lines map[string]string

	mu    sync.Mutex
	types map[string]*structRules
}

// kindRules has the rules of a kind. The rules of fields refer to the kind by its number.
type kindRules struct {
	number int
	of     string
	names  NameRules
}

// structRules has the fields of a struct that have rules or lead to fields with rules.
type structRules struct{ fields []fieldRules }

type fieldRules struct {
	name string
	// required is the rule for a missing field, or nil if there is none.
	required *rule
	valueRules
}

// shape is the structure of a value.
type shape int

const (
	leaf shape = iota
	list
	mapping
	structure
	quantityLeaf
	bytesLeaf
)

// valueRules has the rules of a value and of values below it.
type valueRules struct {
	shape shape
	rules []rule
	// below has the rules for items and values.
	below *valueRules
	// of has the rules for the fields of a struct.
	of *structRules
}

func readTable(text string) *table {
	t := &table{kinds: map[[2]string]*kindRules{}, lines: map[string]string{}, types: map[string]*structRules{}}
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n\n") {
		name, lines, _ := strings.Cut(part, "\n")
		if strings.HasPrefix(name, "kind ") || strings.HasPrefix(name, "#") {
			for line := range strings.SplitSeq(part, "\n") {
				t.readHead(strings.Fields(line))
			}
			continue
		}
		t.lines[name] = lines
	}
	return t
}

func (t *table) readHead(words []string) {
	switch {
	case len(words) == 2 && words[0] == "release":
		t.version = words[1]
	case len(words) >= 5 && words[0] == "kind":
		number, err := strconv.Atoi(words[1])
		if err != nil {
			panic(fmt.Errorf("validation rules of kind %s: invalid number: %w", words[3], err))
		}
		k := &kindRules{number: number, of: words[4], names: NameRules{Name: "segment"}}
		for _, word := range words[5:] {
			if format, ok := strings.CutPrefix(word, "name="); ok {
				k.names.Name = format
			}
			if word == "finalizers" {
				k.names.KnownFinalizers = true
			}
		}
		t.kinds[[2]string{words[2], words[3]}] = k
	}
}

// find returns the rules of a type. The caller must hold mu. Types may contain
// themselves.
func (t *table) find(name string) *structRules {
	if s, ok := t.types[name]; ok {
		return s
	}
	lines, ok := t.lines[name]
	if !ok {
		return nil
	}
	s := &structRules{}
	t.types[name] = s
	for line := range strings.SplitSeq(lines, "\n") {
		if text, ok := strings.CutPrefix(line, "  "); ok {
			f := &s.fields[len(s.fields)-1]
			f.add(text)
			continue
		}
		name, spelled, _ := strings.Cut(strings.TrimPrefix(line, " "), " ")
		s.fields = append(s.fields, fieldRules{name: name, valueRules: t.value(spelled)})
	}
	return s
}

// value returns the rules of a type from its notation in tables.
func (t *table) value(spelled string) valueRules {
	if rest, ok := strings.CutPrefix(spelled, "[]"); ok {
		below := t.value(rest)
		return valueRules{shape: list, below: &below}
	}
	if rest, ok := strings.CutPrefix(spelled, "{}"); ok {
		below := t.value(rest)
		return valueRules{shape: mapping, below: &below}
	}
	switch spelled {
	case "-":
		return valueRules{shape: leaf}
	case "quantity":
		return valueRules{shape: quantityLeaf}
	case "bytes":
		return valueRules{shape: bytesLeaf}
	}
	return valueRules{shape: structure, of: t.find(spelled)}
}

// add reads a rule of a field.
func (f *fieldRules) add(text string) {
	at := &f.valueRules
	for {
		rest, ok := strings.CutPrefix(text, "[]")
		if !ok {
			if rest, ok = strings.CutPrefix(text, "{}"); !ok {
				break
			}
		}
		text = strings.TrimPrefix(rest, " ")
		at = at.below
	}
	r := readRule(text, f.name)
	if r.class == isRequired {
		f.required = &r
		return
	}
	at.rules = append(at.rules, r)
	slices.SortStableFunc(at.rules, func(a, b rule) int { return int(a.class) - int(b.class) })
}
