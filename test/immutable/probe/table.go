// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Table collects the server's verdicts on changes of all objects.
type Table struct {
	kinds map[*server.Kind]*decisions
	types map[reflect.Type]map[string]fact
	// taken lists, for each object, the places where the server removes any value that a client
	// sets. Changes below these places have no effect.
	taken map[*Object][]*Place
}

// hidden reports whether changes at a place cannot have an effect: the place is in the status,
// or below a place that the server removes.
func (t *Table) hidden(o *Object, p *Place) bool {
	if p.Path[0] == "status" {
		return true
	}
	for at := p.above; at != nil; at = at.above {
		if slices.Contains(t.taken[o], at) {
			return true
		}
	}
	return false
}

// decisions has the server's verdicts on changes of one kind.
type decisions struct {
	root *Place
	// verdicts has the verdicts for each place, by kind of change.
	verdicts map[*Place]map[string][]Verdict
}

// fact says how Go code treats a field, which the OpenAPI schema does not describe. For
// example, filled means that the server sets the field if it is missing.
type fact struct{ kept, filled, dropped, ignored, bytes bool }

// NewTable returns a Table without results.
func NewTable() *Table {
	return &Table{map[*server.Kind]*decisions{}, map[reflect.Type]map[string]fact{}, map[*Object][]*Place{}}
}

// Root returns the root place of a kind. Use the places below it for changes.
func (t *Table) Root(k *server.Kind) *Place {
	s := t.kinds[k]
	if s == nil {
		s = &decisions{Places(k.Type()), map[*Place]map[string][]Verdict{}}
		t.kinds[k] = s
		s.root.All(func(p *Place) {
			if p.Owner != nil {
				t.note(p, fact{kept: p.Pointer, bytes: leafKind(p.Type) == bytesLeaf || p.Type.Kind() == reflect.Map && p.Type.Elem() == reflect.TypeFor[[]byte]()})
			}
		})
	}
	return s.root
}

func (t *Table) note(p *Place, f fact) {
	fields := t.types[p.Owner]
	if fields == nil {
		fields = map[string]fact{}
		t.types[p.Owner] = fields
	}
	name := p.Path[len(p.Path)-1]
	old := fields[name]
	fields[name] = fact{old.kept || f.kept, old.filled || f.filled, old.dropped || f.dropped, old.ignored || f.ignored, old.bytes || f.bytes}
}

// Add adds the server's verdict on a change.
func (t *Table) Add(a *Asked) {
	p := a.Change.Place
	s := t.kinds[a.Object.Kind]
	if s.verdicts[p] == nil {
		s.verdicts[p] = map[string][]Verdict{}
	}
	s.verdicts[p][a.Change.How] = append(s.verdicts[p][a.Change.How], a.Verdict)
	if p.Owner == nil || a.After == nil || p.Owner == reflect.TypeFor[metav1.ObjectMeta]() {
		return
	}
	has := func(object map[string]any) bool {
		v, _ := valueAt(object, p.Path)
		return v != nil && (p.Pointer || !isZero(v))
	}
	seen := a.Verdict == Ignored && !t.hidden(a.Object, p)
	structure := leafKind(p.Type) == noLeaf && p.Type.Kind() == reflect.Struct && !p.Pointer
	switch a.Change.How {
	case Unset:
		if !structure && (has(a.After) || seen && has(a.Change.Old)) {
			t.note(p, fact{filled: true})
		}
	case Set:
		if seen && has(a.Change.Next) && !structure {
			t.taken[a.Object] = append(t.taken[a.Object], p)
			t.note(p, fact{dropped: true})
		}
	case Changed:
		if seen {
			t.note(p, fact{ignored: true})
		}
	}
}

func isZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			if !isZero(below) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return v == nil || reflect.ValueOf(v).IsZero()
}

// Text returns the table of the Kubernetes release in this program, in the format that package
// kube/immutable reads.
func (t *Table) Text() (string, error) {
	var b strings.Builder
	b.WriteString(heading)
	fmt.Fprintf(&b, "release %s\n", builtin.Kubernetes())
	below := map[reflect.Type]bool{}
	catalog, err := openapi.BuiltinRelease(builtin.Minor, openapi.Options{})
	if err != nil {
		return "", err
	}
	for _, k := range server.Kinds {
		s := t.kinds[k]
		if s == nil {
			continue
		}
		fmt.Fprintf(&b, "\nkind %s %s\n", k.APIVersion(), k.Kind)
		typ, _ := catalog.Type(k.APIVersion(), k.Kind)
		r := &ruler{kind: k, s: s, schema: typ.Schema}
		r.rules(s.root, typ.TypeRef)
		for _, line := range r.lines {
			fmt.Fprintln(&b, line)
		}
		for _, p := range r.ruled {
			below[p.Owner] = true
			p.All(func(p *Place) { below[p.Owner] = true })
		}
	}
	for _, typ := range slices.SortedFunc(mapKeys(t.types), func(a, b reflect.Type) int { return strings.Compare(schemaName(a), schemaName(b)) }) {
		var lines []string
		for name, f := range t.types[typ] {
			line := name
			if f.kept {
				line += " kept"
			}
			switch {
			case f.filled:
				line += " filled"
			case f.dropped:
				line += " dropped"
			}
			if f.ignored {
				line += " ignored"
			}
			if f.bytes {
				line += " bytes"
			}
			if line != name {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 && below[typ] {
			slices.Sort(lines)
			fmt.Fprintf(&b, "\ntype %s\n\t%s\n", schemaName(typ), strings.Join(lines, "\n\t"))
		}
	}
	return b.String(), nil
}

func mapKeys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

const heading = `# Fields of built-in objects that an update may not change, according to the update strategies of
# the API server. Generated by make.sh: do not edit.
#
# Lines after "kind": a field and its rule, which does not depend on other fields. Lines after
# "type": properties of fields that schemas lack. "kept": a zero value differs from none;
# "filled": the server may fill in a missing value; "dropped": the server may remove an added
# value; "ignored": another field takes precedence; "bytes": line breaks do not matter.
`

// schemaName returns the name of a Go type in the schemas of Kubernetes.
func schemaName(t reflect.Type) string {
	dir, version := "", t.PkgPath()
	for _, prefix := range []struct{ of, is string }{
		{"k8s.io/api/", "io.k8s.api."},
		{"k8s.io/apimachinery/", "io.k8s.apimachinery."},
		{"k8s.io/apiextensions-apiserver/", "io.k8s.apiextensions-apiserver."},
		{"k8s.io/apiextensions-api/", "io.k8s.apiextensions-apiserver."}, // since 1.38
		{"k8s.io/kube-aggregator/", "io.k8s.kube-aggregator."},
	} {
		if rest, ok := strings.CutPrefix(version, prefix.of); ok {
			dir, version = prefix.is, rest
			break
		}
	}
	return dir + strings.ReplaceAll(version, "/", ".") + "." + t.Name()
}

// ruler finds the immutability rules of a kind.
type ruler struct {
	kind   *server.Kind
	s      *decisions
	schema *schema.Schema
	lines  []string
	// ruled are the places that have a rule.
	ruled []*Place
}

// byHand lists places for which kube/immutable has hand-written rules. These rules also cover
// everything below the places.
var byHand = map[string][]string{
	"ConfigMap":             {".immutable"},
	"Secret":                {".immutable"},
	"Job":                   {".spec.template", ".spec.completions"},
	"PersistentVolume":      {".spec.nodeAffinity"},
	"PersistentVolumeClaim": {".spec.resources", ".spec.volumeName", ".spec.dataSource", ".spec.dataSourceRef"},
	"Pod":                   {".spec.terminationGracePeriodSeconds", ".spec.schedulingGates"},
	"Node":                  {".spec.podCIDR", ".spec.podCIDRs"},
	"ResourceQuota":         {".spec.scopes"},
	"ServiceCIDR":           {".spec"},
}

func (r *ruler) rules(p *Place, ref schema.TypeRef) {
	if slices.Contains(byHand[r.kind.Kind], p.String()) {
		r.ruled = append(r.ruled, p)
		return
	}
	if len(p.Path) > 0 && r.whole(p) {
		r.rule(p, schema.Immutable)
		return
	}
	if t := r.entries(p, ref); t != schema.NoTransition {
		r.rule(p, t)
	}
	if r.onlyOnce(p) {
		r.rule(p, schema.SetOnce)
		return
	}
	atom := schema.Atom{}
	if r.schema != nil {
		atom, _ = r.schema.Resolve(ref)
	}
	for _, c := range p.Below {
		step := c.Path[len(c.Path)-1]
		switch {
		case step == Item:
			// Only items with keys can contain immutable fields. Without keys, nobody could say which
			// old item corresponds to a new item.
			if atom.List != nil && atom.List.ElementRelationship.IsAssociative() && len(atom.List.Keys) > 0 {
				r.rules(c, atom.List.ElementType)
			}
		case atom.Map == nil:
			r.rules(c, schema.TypeRef{}) // the schema does not have this field
		case step == Value:
			r.rules(c, atom.Map.ElementType)
		default:
			f, _ := atom.Map.FindField(step)
			r.rules(c, f.Type)
		}
	}
}

func (r *ruler) rule(p *Place, t schema.Transition) {
	r.lines = append(r.lines, fmt.Sprintf("%v %v", p, t))
	r.ruled = append(r.ruled, p)
}

// whole reports whether a place and everything below it are immutable. The server must have
// rejected a change of the place, and must have accepted no change of the place or of anything
// below it. If changes set or unset the place, the server must have rejected or ignored at least
// one change of each of these kinds.
func (r *ruler) whole(p *Place) bool {
	refused := false
	for how, verdicts := range r.s.verdicts[p] {
		known := slices.Contains(verdicts, Refused)
		refused = refused || known
		if !known && !slices.Contains(verdicts, Ignored) && (how == Set || how == Unset) {
			return false
		}
	}
	return refused && r.never(p)
}

// never reports whether the server accepted no change at the place or below it.
func (r *ruler) never(p *Place) bool {
	for _, verdicts := range r.s.verdicts[p] {
		if slices.Contains(verdicts, Accepted) {
			return false
		}
	}
	for _, c := range p.Below {
		if !r.never(c) {
			return false
		}
	}
	return true
}

// allHad reports whether at least one change of the given kind had the given verdict, and no
// change of this kind was Accepted or Refused instead.
func (r *ruler) allHad(p *Place, how string, v Verdict) bool {
	found := false
	for _, is := range r.s.verdicts[p][how] {
		switch is {
		case v:
			found = true
		case Accepted, Refused:
			return false
		}
	}
	return found
}

// onlyOnce reports whether a client may set the place once, and not change it afterwards.
func (r *ruler) onlyOnce(p *Place) bool {
	kind := leafKind(p.Type)
	return kind != noLeaf && kind != boolLeaf && r.allHad(p, Set, Accepted) && r.allHad(p, Unset, Refused) && r.allHad(p, Changed, Refused)
}

// entries returns the rule for adding and removing entries of a map or associative list.
func (r *ruler) entries(p *Place, ref schema.TypeRef) schema.Transition {
	if r.schema == nil {
		return schema.NoTransition
	}
	atom, _ := r.schema.Resolve(ref)
	isList := atom.List != nil && atom.List.ElementRelationship.IsAssociative() && len(atom.List.Keys) > 0
	isMap := atom.Map != nil && len(atom.Map.Fields) == 0 && p.Type.Kind() == reflect.Map
	if !isList && !isMap {
		return schema.NoTransition
	}
	noMore := r.allHad(p, Added, Refused) && r.allHad(p, Set, Refused)
	noFewer := r.allHad(p, Removed, Refused) && r.allHad(p, Unset, Refused)
	switch {
	case noMore && noFewer:
		return schema.ImmutableKeys
	case noMore && r.allHad(p, Removed, Accepted):
		return schema.DeletionOnly
	case noFewer && r.allHad(p, Added, Accepted):
		return schema.AdditionOnly
	}
	return schema.NoTransition
}
