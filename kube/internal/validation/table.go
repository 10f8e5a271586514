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

// Release contains the validation rules of one Kubernetes minor release. It is immutable and safe
// for concurrent use.
type Release struct {
	table func() *table
}

// knownReleases contains the releases that have a table of rules.
var knownReleases = releases.NewFamily(releases.Validation, func(r releases.Release) *Release {
	return &Release{sync.OnceValue(func() *table { return readTable(r.Text(releases.Validation)) })}
})

// Releases returns the minor releases that have a table, such as 1.37, oldest first.
func Releases() []string { return knownReleases.Minors() }

// New returns the rules of a version such as 1.37 or v1.37.2. The patch number makes no
// difference. New returns an error if the release has no table.
func New(version string) (*Release, error) { return knownReleases.Find(version) }

// For returns the rules of a release, or nil if the release has no table. It never returns the
// table of another release, because that table could reject values that the server accepts. For
// example, an older table does not allow the values that a newer feature adds.
func For(version string) *Release {
	r, err := New(version)
	if err != nil {
		return nil
	}
	return r
}

// Version returns the Kubernetes version that the table was made from, such as v1.37.2.
func (r *Release) Version() string { return r.table().version }

// table contains the rules of one release. Tables are stored as text:
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
// Lines with "kind" map a kind to its type. Each type is followed by its fields, with their types.
// Each field is followed by its rules. The function readRule describes the rules.
type table struct {
	version string
	kinds   map[[2]string]*kindRules
	// lines maps type names to the text of the type. A type is parsed when it is first used.
	lines map[string]string

	mu    sync.Mutex
	types map[string]*structRules
}

// kindRules contains the rules of a kind. Rules that apply only to some kinds refer to them by
// number.
type kindRules struct {
	number   int
	typeName string
	names    NameRules
}

// structRules lists the fields of a struct that have rules or contain fields with rules.
type structRules struct{ fields []fieldRules }

type fieldRules struct {
	name string
	// required is the rule that requires the field, or nil if the field is optional.
	required *rule
	valueRules
}

// shape is the structure of a value: a leaf, a list, a map or a struct.
type shape int

const (
	leaf shape = iota
	list
	mapping
	structure
	quantityLeaf
	bytesLeaf
)

// valueRules contains the rules for a value, and the rules for the values inside it.
type valueRules struct {
	shape shape
	rules []rule
	// below contains the rules for the items of a list or the values of a map.
	below *valueRules
	// fields contains the rules for the fields of a struct.
	fields *structRules
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
		k := &kindRules{number: number, typeName: words[4], names: NameRules{Name: "segment"}}
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

// find returns the rules of a type, which may contain itself. The caller must hold mu.
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

// value returns the rules for the text of a type in a table, such as "[]quantity".
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
	return valueRules{shape: structure, fields: t.find(spelled)}
}

// add parses a rule and adds it to the field.
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
