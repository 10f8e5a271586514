package differential

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	uvalue "sigs.k8s.io/structured-merge-diff/v6/value"
)

// More of what intended_test.go holds, about field sets.

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// reader-progress; upstream never returns.
func TestReaderWithoutProgress(t *testing.T) {
	if err := new(fieldpath.Set).FromJSON(silent{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("have %v", err)
	}
}

// nil-elements
func TestNilElements(t *testing.T) {
	var none value.Value
	if _, err := fieldpath.SerializePathElement(fieldpath.PathElement{Value: &none}); err == nil {
		t.Error("an element of no value is written")
	}
	var nothing uvalue.Value
	if panicOf(func() { upath.SerializePathElement(upath.PathElement{Value: &nothing}) }) == "" {
		t.Error("upstream has changed: it writes an element of no value")
	}
	if _, err := fieldpath.MakePath((*value.FieldList)(nil)); err == nil {
		t.Error("a nil key makes a path")
	}
	if panicOf(func() { upath.MakePath((*uvalue.FieldList)(nil)) }) == "" {
		t.Error("upstream has changed: a nil key does not panic")
	}
	name := "a"
	deep := fieldpath.NewSet(fieldpath.MakePathOrDie("a", "b"))
	m := fieldpath.NewSetMatcher(false, &fieldpath.SetMemberMatcher{
		Path: fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &name}},
	})
	if have := deep.FilterIncludeMatches(m); !have.Empty() {
		t.Errorf("a nil child matches %v", have)
	}
	um := upath.NewSetMatcher(false, &upath.SetMemberMatcher{
		Path: upath.PathElementMatcher{PathElement: upath.PathElement{FieldName: &name}},
	})
	if panicOf(func() { upath.NewSet(upath.MakePathOrDie("a", "b")).FilterIncludeMatches(um) }) == "" {
		t.Error("upstream has changed: a nil child does not panic")
	}
}

// matcher-members
func TestMatcherMembers(t *testing.T) {
	a, b := "a", "b"
	own := []*fieldpath.SetMemberMatcher{
		{Path: fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &b}}, Child: fieldpath.MatchAnySet()},
		{Path: fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &a}}, Child: fieldpath.MatchAnySet()},
	}
	fieldpath.NewSetMatcher(false, own...)
	if *own[0].Path.FieldName != "b" {
		t.Error("the caller's members are sorted")
	}
	theirs := []*upath.SetMemberMatcher{
		{Path: upath.PathElementMatcher{PathElement: upath.PathElement{FieldName: &b}}, Child: upath.MatchAnySet()},
		{Path: upath.PathElementMatcher{PathElement: upath.PathElement{FieldName: &a}}, Child: upath.MatchAnySet()},
	}
	upath.NewSetMatcher(false, theirs...)
	if *theirs[0].Path.FieldName != "a" {
		t.Error("upstream has changed: it leaves the caller's members alone")
	}
}

// stream-errors
func TestStreamErrors(t *testing.T) {
	var own, theirs bytes.Buffer
	s := fieldpath.NewSet(fieldpath.MakePathOrDie("a", "b"))
	s.Insert(fieldpath.Path{fieldpath.PathElement{}})
	if err := s.ToJSONStream(&own); err == nil || own.Len() > 0 {
		t.Errorf("have %q, %v", own.String(), err)
	}
	u := upath.NewSet(upath.MakePathOrDie("a", "b"))
	u.Insert(upath.Path{upath.PathElement{}})
	if err := u.ToJSONStream(&theirs); err == nil || theirs.Len() == 0 {
		t.Errorf("upstream has changed: it writes %q, %v", theirs.String(), err)
	}
}

// shared-subtrees: results may share what an operand has. The operands of
// union and intersection are not to be seen changing before somebody inserts.
func TestSharedSubtrees(t *testing.T) {
	const text = `{"f:a":{"f:b":{},"f:c":{}}}`
	u, u2 := new(upath.Set), new(upath.Set)
	for _, s := range []*upath.Set{u, u2} {
		if err := s.FromJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	u.Intersection(u2).Insert(upath.MakePathOrDie("a", "new"))
	if u.Size() != 2 || u2.Size() != 2 {
		t.Error("upstream has changed: intersections share subtrees")
	}
	s, s2 := new(fieldpath.Set), new(fieldpath.Set)
	for _, s := range []*fieldpath.Set{s, s2} {
		if err := s.FromJSON(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	s.Intersection(s2).Copy().Insert(fieldpath.MakePathOrDie("a", "new"))
	if s.Size() != 2 || s2.Size() != 2 {
		t.Error("a copy of an intersection shares subtrees")
	}
	s.Intersection(s2).Insert(fieldpath.MakePathOrDie("a", "new"))
	if s.Size() == 2 && s2.Size() == 2 {
		t.Error("intersections share nothing any more: the difference has vanished")
	}
}
