// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"flag"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

var transitionRequests = flag.Int("transition-requests", 4000, "how many random requests TestRequestsLikeSlowTransitionCheck makes")

// TestRequestsLikeSlowTransitionCheck sends random applies and updates by several managers. A
// field manager that checks transition rules must reject exactly the requests that the slow
// reference rejects. For all other requests, the result must be the same as without the
// check.
func TestRequestsLikeSlowTransitionCheck(t *testing.T) {
	const requests = 12 // requests for each object
	total, made, refused := 0, 0, 0
	for seed := *transitionSeed; total < *transitionRequests; seed++ {
		g := &transitionGen{Rand: rand.New(rand.NewSource(seed))}
		s := requestSchema(g)
		kind := "object"
		pt := typed.ParseableType{Schema: s, TypeRef: schema.TypeRef{NamedType: &kind}}
		unchecked, checked := managersOf(t, pt, true), managersOf(t, pt, false)
		var live map[string]any
		root := schema.TypeRef{NamedType: ptr("root")}
		spec := g.object(root, 4)
		for range requests {
			total++
			for range 8 { // try several times, because a schema may have few valid objects
				if g.chance(30) {
					spec = g.object(root, 4)
				} else {
					spec = g.changed(root, spec)
				}
				if _, err := (typed.ParseableType{Schema: s, TypeRef: root}).FromUnstructured(spec); err == nil {
					break
				}
			}
			sent := map[string]any{
				"apiVersion": "ex.io/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}, "spec": spec,
			}
			manager, how := pick(g, "a", "b", "c"), g.Intn(3)
			want, wantErr := sendRandom(unchecked, how, manager, live, sent)
			got, gotErr := sendRandom(checked, how, manager, live, sent)
			if wantErr != nil {
				if gotErr == nil || gotErr.Error() != wantErr.Error() {
					t.Fatalf("seed %d: %v, without a check: %v", seed, gotErr, wantErr)
				}
				continue
			}
			made++
			var slow reference
			if live != nil {
				slow = reference{schema: s}
				slow.place(pt.TypeRef, spot{}, asRead(t, pt, live), asRead(t, pt, want.Object), true, true)
			}
			if len(slow.found) == 0 {
				if gotErr != nil || !reflect.DeepEqual(got.Object, want.Object) {
					t.Fatalf("seed %d: %v, should be allowed\n%s\nlive%s\nsent%s", seed, gotErr, schemaText(s), yamlOf(live), yamlOf(sent))
				}
				live = got.Object
				continue
			}
			refused++
			var e *fieldmanager.ImmutableError
			if !errors.As(gotErr, &e) {
				t.Fatalf("seed %d: %v, want\n%s\n%s\nlive%s\nsent%s", seed, gotErr, strings.Join(texts(slow.found), "\n"), schemaText(s), yamlOf(live), yamlOf(sent))
			}
			if found := texts(breaches(t, gotErr)); !slices.Equal(found, texts(slow.found)) {
				t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(found, "\n"), strings.Join(texts(slow.found), "\n"))
			}
			if !reflect.DeepEqual(e.Result.Object, want.Object) {
				t.Fatalf("seed %d: the preview is\n%s\nwant%s", seed, yamlOf(e.Result.Object), yamlOf(want.Object))
			}
		}
	}
	t.Logf("%d requests, %d of them valid and without conflicts, %d refused", total, made, refused)
	if made < total/4 || refused < made/10 || refused > made*9/10 {
		t.Errorf("%d requests, %d of them valid and without conflicts, %d refused: too few to test anything", total, made, refused)
	}
}

// requestSchema returns a random schema with the type of an object.
func requestSchema(g *transitionGen) *schema.Schema {
	s := g.schema()
	text, root := schema.String, "root"
	scalar := schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}
	anything := schema.Untyped
	s.Types = append(s.Types,
		schema.TypeDef{Name: "meta", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "name", Type: scalar},
			{Name: "managedFields", Type: schema.TypeRef{Inlined: schema.Atom{List: &schema.List{
				ElementType: schema.TypeRef{Inlined: schema.Atom{Scalar: &anything}}, ElementRelationship: schema.Atomic,
			}}}},
		}}}},
		schema.TypeDef{Name: "object", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
			{Name: "apiVersion", Type: scalar},
			{Name: "kind", Type: scalar},
			{Name: "metadata", Type: schema.TypeRef{NamedType: ptr("meta")}},
			{Name: "spec", Type: schema.TypeRef{NamedType: &root}},
		}}}},
	)
	return s
}

func ptr[T any](v T) *T { return &v }

func managersOf(t *testing.T, pt typed.ParseableType, unchecked bool) *fieldmanager.FieldManager {
	m, err := fieldmanager.New(fieldmanager.Options{
		Types:            func(string, string) (typed.ParseableType, error) { return pt, nil },
		Clock:            func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		CheckTransitions: !unchecked,
		ResetFields:      map[fieldpath.APIVersion]*fieldpath.Set{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sendRandom sends a request: an update, an apply or a forced apply, depending on how.
func sendRandom(m *fieldmanager.FieldManager, how int, manager string, live, sent map[string]any) (*fieldmanager.Result, error) {
	if how == 0 {
		return m.Update(live, sent, manager)
	}
	return m.Apply(live, sent, manager, how == 2)
}

// asRead returns an object in the form in which a server reads it from storage.
func asRead(t *testing.T, pt typed.ParseableType, object map[string]any) any {
	object = deepCopy(object).(map[string]any)
	delete(object["metadata"].(map[string]any), "managedFields")
	tv, err := typed.AsTypedUnvalidated(value.NewValueInterface(object), pt.Schema, pt.TypeRef).Prune()
	if err == nil {
		tv, err = tv.Default()
	}
	if err != nil {
		t.Fatal(err)
	}
	return tv.AsValue().Unstructured()
}

func schemaText(s *schema.Schema) string {
	text, err := yaml.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
