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

// Finding is one problem of a CRD, or of an object of its kind.
type Finding struct {
	// Finding has the document, the line, the path, the rule and the message. Document and
	// Line are zero for a finding about an object. Path is a path such as
	// .spec.versions[0].schema.openAPIV3Schema.properties.spec. Type is empty.
	openapi.Finding
	// Fix is a change of the document that corrects the problem. It is nil if a person must
	// decide.
	Fix *Fix

	// Served is the error that an API server returns for the same problem. It is nil if the
	// finding is not about an object, or if the server does not report the problem. It is
	// read-only, and may contain the invalid value.
	Served *field.Error

	// Since is the first Kubernetes release whose API servers behave as the message
	// describes, such as 1.36. It is empty if the API servers of all releases do.
	Since string

	// Origin identifies the place of the finding independently of the order of the versions.
	// It consists of the name of the version and the path within it.
	Origin string
}

// Fix is a change of the document that a CRD was read from.
type Fix struct {
	// Summary describes the change, as in: adds default: TCP.
	Summary string
	// Change is the change to pass to manifest.Edit.
	Change manifest.Change
}

func newFinding(rule Rule, path, format string, args ...any) *Finding {
	return &Finding{Finding: openapi.Finding{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...)}}
}

// Error returns file:line: path: message, without empty parts.
func (f *Finding) Error() string {
	e := manifest.Error{File: f.Document, Line: f.Line, Path: f.Path, Message: f.Message}
	return e.Error()
}

// Findings is a list of findings, sorted by document, line, path, rule and message.
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

// These are the limits of a report, so that a hostile document does not result in a
// report larger than itself. Hints have a lower limit, so that warnings and errors
// always find room.
const (
	maxFindings = 500
	maxHints    = 400
)

// report collects the findings about one CRD.
type report struct {
	object *manifest.Object
	listed Findings
	// seen prevents duplicates of the same finding at the same place.
	seen    map[string]bool
	dropped int
	// worst is the rule with the highest severity among the findings beyond the limit.
	worst rules.Rule
}

func (r *report) add(rule Rule, at *tree.Place, format string, args ...any) {
	r.fixable(rule, at, nil, format, args...)
}

// since adds a finding that applies only to API servers of a release and of later releases.
func (r *report) since(release string, rule Rule, at *tree.Place, format string, args ...any) {
	before := len(r.listed)
	r.add(rule, at, format, args...)
	if len(r.listed) > before {
		r.listed[before].Since = release
	}
}

// fixable adds a finding with the change that corrects it. fix may be nil.
func (r *report) fixable(rule Rule, at *tree.Place, fix *Fix, format string, args ...any) {
	f := newFinding(rule, at.String(), format, args...)
	f.Fix, f.Origin = fix, at.Origin()
	if slices.Contains([]Rule{Malformed, openapi.DefaultValue, EnumType, ExampleType}, rule) {
		if v, _ := r.object.Value(f.Path); v == true || v == false {
			if text, plain, ok := r.object.Scalar(f.Path); ok && plain {
				f.Message += flow.BooleanHint(text)
			}
		}
	}
	key := f.Path + "\x00" + string(rule) + "\x00" + f.Message
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

// findings returns all collected findings, sorted. If some were beyond the limit, the
// last finding gives their number.
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

// reading combines a report with a reader that adds values of a wrong type to it.
type reading struct {
	*report
	tree.Reader
}

func (r *report) reading() reading {
	return reading{r, tree.Reader{Report: func(problem tree.Problem, at *tree.Place, format string, args ...any) {
		r.add(Rule(problem), at, format, args...)
	}}}
}
