// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Finding is one problem of a CRD or of a custom resource.
type Finding struct {
	// This embedded Finding contains the document, the line, the path, the rule and the
	// message. A path looks like .spec.versions[0].schema.openAPIV3Schema.properties.spec.
	// Document and Line are zero for a finding about an object. The embedded Type is always
	// empty.
	openapi.Finding
	// Fix is an edit that corrects the problem. It is nil if a person must decide what to do.
	Fix *Fix

	// Served is the error that an API server returns for the same problem. It is nil if the
	// finding is about a CRD, or if the server does not report the problem. It is read-only,
	// and may contain the invalid value.
	Served *field.Error

	// Since is the first Kubernetes release for which the message is true, such as 1.36. It is
	// empty if the message is true for all releases.
	Since string

	// Origin identifies the place of the finding by the name of the CRD version and the path within
	// that version. If the order of the versions changes, Origin stays the same.
	Origin string
}

// Fix is an edit of the document that the CRD was read from.
type Fix struct {
	// Summary describes the edit, for example "adds default: TCP".
	Summary string
	// Change is the change to pass to manifest.Edit.
	Change manifest.Change
}

func newFinding(rule Rule, path, format string, args ...any) *Finding {
	return &Finding{Finding: openapi.Finding{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...)}}
}

// Error returns the finding as "file:line: path: message". It omits parts that are empty.
func (f *Finding) Error() string {
	e := manifest.Error{File: f.Document, Line: f.Line, Path: f.Path, Message: f.Message}
	return e.Error()
}

// key identifies the finding within a report.
func (f *Finding) key() string { return f.Path + "\x00" + string(f.Rule) + "\x00" + f.Message }

// Findings is sorted by document, line, path, rule and message.
type Findings []*Finding

// Error returns one line for each finding.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns fs as an error, or nil if fs is empty.
func (fs Findings) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

func (fs Findings) sort() {
	slices.SortStableFunc(fs, func(a, b *Finding) int {
		return cmp.Or(
			strings.Compare(a.Document, b.Document),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Path, b.Path),
			strings.Compare(string(a.Rule), string(b.Rule)),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// Limits on the number of findings keep the report on a hostile document small. Hints have
// a lower limit, so that they cannot displace warnings and errors.
const (
	maxFindings = 500
	maxHints    = 400
)

// report collects the findings about one CRD.
type report struct {
	object *manifest.Object
	listed Findings
	// seen contains the keys of the findings so far. It prevents duplicates.
	seen    map[string]bool
	dropped int
	// worst is the most severe rule among the findings that were left out because of the limit.
	worst rules.Rule
	// faults contains, by place, the findings that make other checks impossible. unchecked lists
	// these checks.
	faults    faults
	unchecked []Unchecked
}

func (r *report) add(rule Rule, at *tree.Place, format string, args ...any) {
	r.fixable(rule, at, nil, format, args...)
}

// addSince adds a finding that applies to the given Kubernetes release and all later releases.
func (r *report) addSince(release string, rule Rule, at *tree.Place, format string, args ...any) {
	before := len(r.listed)
	r.add(rule, at, format, args...)
	if len(r.listed) > before {
		r.listed[before].Since = release
	}
}

// fixable adds a finding with the edit that corrects it. fix may be nil.
func (r *report) fixable(rule Rule, at *tree.Place, fix *Fix, format string, args ...any) {
	f := newFinding(rule, at.String(), format, args...)
	f.Fix, f.Origin = fix, at.Origin()
	r.faults.add(f, at)
	if slices.Contains([]Rule{Malformed, openapi.DefaultValue, EnumType, ExampleType}, rule) {
		if v, _ := r.object.Value(f.Path); v == true || v == false {
			if text, plain, ok := r.object.Scalar(f.Path); ok && plain {
				f.Message += flow.BooleanHint(text)
			}
		}
	}
	key := f.key()
	if r.seen[key] {
		return
	}
	most := maxFindings
	listed, _ := rules.Lookup(string(rule))
	if listed.Severity == rules.Hint {
		most = maxHints
	}
	if len(r.listed) >= most {
		r.dropped++
		if r.worst.ID == "" || listed.Severity > r.worst.Severity {
			r.worst = listed
		}
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[key] = true
	if r.object != nil {
		p := r.object.At(at.Steps()...)
		f.Document, f.Line = p.File, p.Line
	}
	r.listed = append(r.listed, f)
}

// findings returns the collected findings, sorted. If the limit excluded some
// findings, the last finding states how many.
func (r *report) findings() Findings {
	r.listed.sort()
	if r.dropped > 0 {
		rule := TooLarge
		if r.worst.Severity < rules.Error {
			rule = Rule(r.worst.ID)
		}
		more := newFinding(rule, "", "and %d more findings", r.dropped)
		more.Document = r.listed[0].Document
		r.listed = append(r.listed, more)
		r.dropped = 0
	}
	return r.listed
}

// reading combines a report with a reader. If the reader finds a value of a wrong type,
// it adds a finding to the report.
type reading struct {
	*report
	tree.Reader
}

func (r *report) reading() reading {
	return reading{r, tree.Reader{Report: func(problem tree.Problem, at *tree.Place, format string, args ...any) {
		r.add(Rule(problem), at, format, args...)
	}}}
}
