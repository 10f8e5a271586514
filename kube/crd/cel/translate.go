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

// Dialect is what the rules that Translate makes may use.
type Dialect string

const (
	// Portable rules are accepted by Kubernetes 1.30 and later.
	Portable Dialect = ""
	// Newest rules need Kubernetes 1.36: they go through atomic lists of any
	// length that costs allow, and tell null from absent.
	Newest Dialect = "newest"
)

// Options say how markers become rules.
type Options struct {
	Dialect Dialect
	// IgnoreItemOrder lets the items of lists of type map change places below
	// x-kubernetes-immutable, as == of CEL does. Otherwise their order counts, as
	// the KEP "Immutable fields" has it: only sets have none.
	IgnoreItemOrder bool
	// Policy leaves out the rules that refuse updates which a marker allows, for
	// [Translation.Policy] to say instead.
	Policy bool
}

// Translation is what the markers of a CRD come to in x-kubernetes-validations. It can
// be used by several goroutines at once.
type Translation struct {
	// Rules are in the order of the document's versions, then of the schemas.
	Rules []ValidationRule
	// Doubts are where a rule does not judge as the marker does.
	Doubts []Doubt
	// Missing are the rules that were left out, since the API server would refuse
	// the CRD for what they cost by estimate or refuse every update of large
	// objects for what they cost then.
	Missing []MissingBound

	definition *crd.Definition
	doc        *tree.Document
	options    Options
	// unsaid are the marked schemas that the rules do not judge as the markers do.
	unsaid map[*tree.Node]bool
}

// ValidationRule is one rule of x-kubernetes-validations.
type ValidationRule struct {
	// Version is the name of the version that the rule is in.
	Version string
	// Path is the schema that gets the rule, Marked the one with the marker.
	Path, Marked, Marker string
	// Rule ends with a comment by which it is known to be made from a marker.
	Rule, Message string
	// Reason and FieldPath are empty if they are left out.
	Reason, FieldPath string

	host *tree.Node
}

// Translate translates the markers of d into rules for API servers, which do not know
// markers. A rule made before is not looked at: it is replaced when the CRD is written,
// see [Translation.Changes].
//
// The error is what [crd.Definition.Validate] finds, if that is anything: a schema that
// is not valid has no rules.
func Translate(d *crd.Definition, o Options) (*Translation, error) {
	d = unmade(d)
	if err := d.Validate().Err(); err != nil {
		return nil, err
	}
	t := &Translation{definition: d, doc: tree.Read(d.Object().Content, nil), options: o, unsaid: map[*tree.Node]bool{}}
	for _, v := range t.doc.Versions {
		if !anyMarked(v.Schema) {
			continue
		}
		if err := v.Convert(); err != nil {
			return nil, err
		}
		c := &translator{Translation: t, version: v, above: map[*tree.Node]*tree.Node{}, cardinalities: map[*tree.Node]uint64{}}
		c.climb(v.Schema)
		c.host(v.Schema)
		for _, w := range c.wanted {
			c.decide(w)
		}
		c.total()
	}
	t.sort()
	return t, nil
}

// anyMarked says whether there is a marker at n or below.
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

// Changes returns what has to change in the file that the CRD was read from, for
// [manifest.Edit]: the rules, in place of those that were made before. Markers
// and rules of the CRD's author stay. A CRD without markers is left alone, with
// the rules that it has: an API server that it came from dropped the markers.
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

// Strip is Changes, by which the markers go too: an API server that is asked to be
// strict, as kubectl asks it, refuses fields that it does not know.
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
		return isMade(rule)
	}
	if len(c.Add) > 0 || slices.ContainsFunc(n.Rules, func(r tree.Rule) bool { return isMade(r.Text) }) {
		changes = append(changes, c)
	}
	n.Each(func(child *tree.Node) { changes = t.changes(changes, child) })
	return changes
}

// ruleItem is an item of x-kubernetes-validations, in the order in which
// controller-gen writes it.
type ruleItem struct {
	FieldPath string `yaml:"fieldPath,omitempty"`
	Message   string `yaml:"message"`
	Reason    string `yaml:"reason,omitempty"`
	Rule      string `yaml:"rule"`
}

// unmade returns d with rules that were made before as rules that say nothing, in
// their places: what they were made for may have changed.
func unmade(d *crd.Definition) *crd.Definition {
	if !HasGeneratedRules(d) {
		return d
	}
	o := *d.Object()
	o.Content, _ = withoutMade(o.Content).(map[string]any)
	return crd.New(&o)
}

func withoutMade(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if rule, _ := v["rule"].(string); isMade(rule) {
			_, comment, _ := strings.Cut(rule, signature)
			return map[string]any{"rule": "true" + signature + comment}
		}
		m := make(map[string]any, len(v))
		for k, c := range v {
			m[k] = withoutMade(c)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, c := range v {
			l[i] = withoutMade(c)
		}
		return l
	}
	return v
}

// HasGeneratedRules says whether a CRD has rules that were made from markers.
func HasGeneratedRules(d *crd.Definition) bool {
	var made func(n *tree.Node) bool
	made = func(n *tree.Node) bool {
		found := slices.ContainsFunc(n.Rules, func(r tree.Rule) bool { return isMade(r.Text) })
		n.Each(func(child *tree.Node) { found = found || made(child) })
		return found
	}
	doc := tree.Read(d.Object().Content, nil)
	return slices.ContainsFunc(doc.Versions, func(v *tree.Version) bool { return v.Schema != nil && made(v.Schema) })
}

// HasMarkers says whether a CRD has markers of immutability.
func HasMarkers(d *crd.Definition) bool { return hasMarkers(tree.Read(d.Object().Content, nil)) }

func hasMarkers(doc *tree.Document) bool {
	return slices.ContainsFunc(doc.Versions, func(v *tree.Version) bool { return v.Schema != nil && anyMarked(v.Schema) })
}

// signature ends the rules that are made here. A comment is part of the rule to
// the API server, which keeps it.
const signature = " // dovetail: "

// isMade says whether a rule was made from a marker.
func isMade(rule string) bool {
	_, marker, ok := strings.Cut(rule, signature)
	return ok && slices.Contains(tree.Markers, marker)
}
