// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Dialect selects the CEL features that generated rules may use.
type Dialect string

const (
	// Portable rules work with Kubernetes 1.30 and later.
	Portable Dialect = ""
	// Newest is the dialect for Kubernetes 1.36 and later. Its rules distinguish null
	// from absent. They also support longer atomic lists, up to the cost limits.
	Newest Dialect = "newest"
)

// Options controls the translation of markers.
type Options struct {
	Dialect Dialect
	// IgnoreItemOrder lets an update reorder the items of lists of type map below
	// x-kubernetes-immutable. By default, the order must not change, because the KEP "Immutable
	// fields" ignores only the order of sets. The option makes rules shorter, because the CEL
	// operator == also ignores the order of such lists.
	IgnoreItemOrder bool
	// Policy omits rules that are too strict, because they reject some updates that their marker
	// allows. The policies of [Translation.Policy] then enforce these markers. Rules for a field that
	// the scale subresource writes are not omitted, because a policy does not see the field in
	// requests to scale.
	Policy bool
}

// Translation contains the rules that enforce the markers of a CRD. It is safe for
// concurrent use.
type Translation struct {
	// Rules are sorted by version and, within a version, by schema. The versions are in the order of
	// the document.
	Rules []ValidationRule
	// Doubts lists the places where a rule differs from its marker.
	Doubts []Doubt
	// Missing lists the rules that Translate omitted because of their estimated cost. If a
	// CRD contained such a rule, the API server would reject the CRD, or every update of a
	// large object.
	Missing []MissingBound
	// Removed lists the generated rules whose schemas have no marker any more. The edits of Changes
	// remove these rules. If the whole CRD has no markers, Removed is empty, because Changes then
	// keeps all rules.
	Removed []RemovedRule

	definition *crd.Definition
	doc        *tree.Document
	options    Options
	// inexact contains the schemas with a marker that the rules do not enforce exactly.
	inexact map[*tree.Node]bool
}

// ValidationRule is one rule of x-kubernetes-validations.
type ValidationRule struct {
	// Version is the name of the version that has the rule.
	Version string
	// Path is the path of the schema that gets the rule. Marked is the path of the schema with
	// the marker. Marker is the name of the marker.
	Path, Marked, Marker string
	// Rule is the CEL text. It ends with a comment that identifies the rule as generated.
	Rule, Message string
	// Reason and FieldPath are empty if the rule does not have them.
	Reason, FieldPath string

	host *tree.Node
}

// Translate translates the markers of d into rules, for API servers that do not know the
// markers. It ignores rules that an earlier run of Translate generated, because
// [Translation.Changes] replaces those rules.
//
// If the CRD is invalid, Translate returns the findings of [crd.Definition.Validate] as an
// error.
func Translate(d *crd.Definition, o Options) (*Translation, error) {
	removed := unmarkedRules(d)
	d = withoutGenerated(d)
	if err := d.Validate().Err(); err != nil {
		return nil, err
	}
	t := &Translation{definition: d, doc: tree.Read(d.Object().Content, nil), options: o, inexact: map[*tree.Node]bool{}, Removed: removed}
	for _, v := range t.doc.Versions {
		if !anyMarked(v.Schema) {
			continue
		}
		if err := v.Convert(); err != nil {
			return nil, err
		}
		c := &translator{Translation: t, version: v, above: map[*tree.Node]*tree.Node{}, cardinalities: map[*tree.Node]uint64{}}
		c.recordParents(v.Schema)
		c.planBelow(v.Schema)
		for _, w := range c.planned {
			c.translate(w)
		}
		c.limitTotal()
	}
	t.sort()
	return t, nil
}

// anyMarked reports whether n or a schema below it has a marker.
func anyMarked(n *tree.Node) bool {
	found := len(n.Marked()) > 0
	n.Each(func(child *tree.Node) { found = found || anyMarked(child) })
	return found
}

func (t *Translation) sort() {
	slices.SortStableFunc(t.Doubts, func(a, b Doubt) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Path+"\x00"+string(a.Reason)+a.Marked, b.Path+"\x00"+string(b.Reason)+b.Marked)
	})
	t.Doubts = slices.CompactFunc(t.Doubts, func(a, b Doubt) bool {
		return a.Path == b.Path && a.Reason == b.Reason && a.Marked == b.Marked
	})
}

// Changes returns the edits that add the rules to the CRD's file, for use with [manifest.Edit]. The
// edits also remove rules that were generated before, even if the marker of such a rule is gone (see
// [Translation].Removed). They keep the markers and the rules of the CRD's author.
//
// For a CRD without markers, Changes returns nil, so rules that were generated before stay. Such a
// CRD may come from an API server that dropped the markers.
func (t *Translation) Changes() []manifest.Change {
	if !hasMarkers(t.doc) {
		return nil
	}
	var changes []manifest.Change
	for _, v := range t.doc.Versions {
		changes = t.changes(changes, v.Schema)
	}
	return changes
}

// Strip returns the edits of Changes, and also edits that remove the markers. Use Strip for files
// that kubectl applies. By default, kubectl requests strict field validation, so API servers that
// do not know the markers reject them as unknown fields.
func (t *Translation) Strip() []manifest.Change {
	changes := t.Changes()
	var strip func(n *tree.Node)
	strip = func(n *tree.Node) {
		if all := n.Marked(); len(all) > 0 {
			changes = append(changes, manifest.Change{Steps: n.At.Steps(), Remove: all})
		}
		n.Each(strip)
	}
	for _, v := range t.doc.Versions {
		strip(v.Schema)
	}
	return changes
}

func (t *Translation) changes(changes []manifest.Change, n *tree.Node) []manifest.Change {
	c := manifest.Change{Steps: n.At.Steps(), Field: "x-kubernetes-validations"}
	for i := range t.Rules {
		if r := &t.Rules[i]; r.host == n {
			c.Add = append(c.Add, ruleItem{r.FieldPath, r.Message, r.Reason, r.Rule})
		}
	}
	c.Drop = func(item any) bool {
		m, _ := item.(map[string]any)
		rule, _ := m["rule"].(string)
		return isGenerated(rule)
	}
	if len(c.Add) > 0 || slices.ContainsFunc(n.Rules, func(r tree.Rule) bool { return isGenerated(r.Text) }) {
		changes = append(changes, c)
	}
	n.Each(func(child *tree.Node) { changes = t.changes(changes, child) })
	return changes
}

// ruleItem is an item of x-kubernetes-validations. Its fields have the same order as in the
// output of controller-gen.
type ruleItem struct {
	FieldPath string `yaml:"fieldPath,omitempty"`
	Message   string `yaml:"message"`
	Reason    string `yaml:"reason,omitempty"`
	Rule      string `yaml:"rule"`
}

// withoutGenerated returns d with each generated rule replaced by a rule that is always true.
// Generated rules may be outdated, because their markers may have changed. Generated rules
// are replaced and not removed, so that all other rules keep their indexes.
func withoutGenerated(d *crd.Definition) *crd.Definition {
	if !HasGeneratedRules(d) {
		return d
	}
	o := *d.Object()
	o.Content, _ = neutralizeGenerated(o.Content).(map[string]any)
	return crd.New(&o)
}

func neutralizeGenerated(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if rule, _ := v["rule"].(string); isGenerated(rule) {
			return map[string]any{"rule": "true" + tree.Signature + tree.GeneratedFrom(rule)}
		}
		m := make(map[string]any, len(v))
		for k, c := range v {
			m[k] = neutralizeGenerated(c)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, c := range v {
			l[i] = neutralizeGenerated(c)
		}
		return l
	}
	return v
}

// HasGeneratedRules reports whether a CRD has rules that were generated from markers.
func HasGeneratedRules(d *crd.Definition) bool {
	var made func(n *tree.Node) bool
	made = func(n *tree.Node) bool {
		found := slices.ContainsFunc(n.Rules, func(r tree.Rule) bool { return isGenerated(r.Text) })
		n.Each(func(child *tree.Node) { found = found || made(child) })
		return found
	}
	doc := tree.Read(d.Object().Content, nil)
	return slices.ContainsFunc(doc.Versions, func(v *tree.Version) bool { return v.Schema != nil && made(v.Schema) })
}

// HasMarkers reports whether a CRD has immutability markers.
func HasMarkers(d *crd.Definition) bool { return hasMarkers(tree.Read(d.Object().Content, nil)) }

func hasMarkers(doc *tree.Document) bool {
	return slices.ContainsFunc(doc.Versions, func(v *tree.Version) bool { return v.Schema != nil && anyMarked(v.Schema) })
}

// isGenerated reports whether Translate generated a rule.
func isGenerated(rule string) bool { return tree.GeneratedFrom(rule) != "" }
