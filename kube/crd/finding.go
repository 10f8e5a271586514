// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Finding is one thing that is wrong with a CRD, or with an object of its kind.
type Finding struct {
	// Finding has the document, its line, the path, the rule and the message. Document and Line
	// are zero for a finding about an object. A path is as in
	// .spec.versions[0].schema.openAPIV3Schema.properties.spec; Type is empty.
	openapi.Finding
	// Fix is the change of the document that corrects it, nil if a person must decide.
	Fix *Fix

	// Served is the error that an API server answers with, for what it finds in an object, too; else nil. It is read-only,
	// and may hold the value.
	Served *field.Error

	// Since is the first Kubernetes release whose API servers behave as the message says, such
	// as 1.36. It is empty if all do.
	Since string

	// Origin is what the finding is about whatever the order of the versions:
	// the name of the version and the path within it.
	Origin string
}

// Fix is a change of the document that a CRD was read from.
type Fix struct {
	// Summary describes the change, as in: adds default: TCP.
	Summary string
	// Change is for manifest.Edit.
	Change manifest.Change
}

func newFinding(rule Rule, path, format string, args ...any) *Finding {
	return &Finding{Finding: openapi.Finding{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...)}}
}

// Error returns file:line: path: message, without what is empty.
func (f *Finding) Error() string {
	e := manifest.Error{File: f.Document, Line: f.Line, Path: f.Path, Message: f.Message}
	return e.Error()
}

// Findings are all that is wrong, sorted by document, line, path, rule and
// message.
type Findings []*Finding

// Error returns one line for each finding.
func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns fs as an error, nil if there are none.
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

// maxFindings bounds what is kept, so that a hostile document does not turn
// into a report larger than itself. Hints leave room for what weighs more.
const (
	maxFindings = 500
	maxHints    = 400
)

// report collects what is found in one CRD.
type report struct {
	object *manifest.Object
	listed Findings
	// seen keeps one thing from being said twice about one place.
	seen    map[string]bool
	dropped int
	// worst is the rule of what was dropped that weighs most.
	worst rules.Rule
}

func (r *report) add(rule Rule, at *tree.Place, format string, args ...any) {
	r.fixable(rule, at, nil, format, args...)
}

// since is add for a finding that holds only since a release.
func (r *report) since(release string, rule Rule, at *tree.Place, format string, args ...any) {
	before := len(r.listed)
	r.add(rule, at, format, args...)
	if len(r.listed) > before {
		r.listed[before].Since = release
	}
}

// fixable is add of what a change would mend.
func (r *report) fixable(rule Rule, at *tree.Place, fix *Fix, format string, args ...any) {
	f := newFinding(rule, at.String(), format, args...)
	f.Fix, f.Origin = fix, at.Origin()
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

// findings returns what was collected, sorted.
func (r *report) findings() Findings {
	r.listed.sort()
	if r.dropped > 0 {
		rule := TooLarge
		if r.worst.Severity < rules.Error {
			rule = Rule(r.worst.ID)
		}
		more := newFinding(rule, "", "and %d findings more", r.dropped)
		more.Document = r.listed[0].Document
		r.listed = append(r.listed, more)
		r.dropped = 0
	}
	return r.listed
}

// reading is a report, and a reader that tells it what cannot be read.
type reading struct {
	*report
	tree.Reader
}

func (r *report) reading() reading {
	return reading{r, tree.Reader{Tell: func(why tree.Unreadable, at *tree.Place, format string, args ...any) {
		r.add(Rule(why), at, format, args...)
	}}}
}
