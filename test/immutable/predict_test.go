// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"reflect"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestPredictedLikeStrategies creates and changes objects of every kind. kube/predict must
// predict the same generation as Kubernetes' strategies. For some kinds, the test also compares
// the stored spec, as Go types write it.
func TestPredictedLikeStrategies(t *testing.T) {
	t.Run("as sent", func(t *testing.T) { likeStrategies(t, nil, 24) })
	t.Run("as Go writes it", func(t *testing.T) { likeStrategies(t, must(goform.New(builtin.Minor))(t), 96) })
}

// likeStrategies runs the test. On average, it tests only one of n deep fields.
func likeStrategies(t *testing.T, goForm *goform.Release, n int) {
	s := &predict.Server{
		GoForm:       goForm,
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog().Type)},
		Kind:         catalog().Kind,
		Release:      must(defaults.New(builtin.Minor))(t),
	}
	ask := func(verb predict.Verb, object, live map[string]any) map[string]any {
		p, err := s.Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(1767225600, 0), Object: object, Live: live})
		if err != nil {
			return nil // the embedded types lack a field, or the object is invalid
		}
		return p.Object
	}
	var created, updated, skipped, gated, number int
	table := probe.NewTable()
	for _, o := range must(objects())(t) {
		internal := must(o.Kind.Read(o.Content))(t)
		stored, err := o.Kind.Created(internal)
		if err != nil {
			t.Fatal(err)
		}
		if ours := ask(predict.Create, o.Content, nil); ours == nil {
			skipped++
		} else {
			created++
			if !compare(t, o.String(), o.Kind, ours, stored, goForm) {
				gated++
			}
		}
		table.Root(o.Kind).All(func(p *probe.Place) {
			if number++; len(p.Path) > 2 && !*all && number%n != 0 {
				return
			}
			for _, c := range p.Changes(o.Content) {
				old, err := o.Kind.Read(c.Old)
				next, nextErr := o.Kind.Read(c.Next)
				if err != nil || nextErr != nil {
					continue
				}
				setGeneration(t, old, 5)
				live := must(o.Kind.Write(old))(t)
				answer, err := o.Kind.Update(old, next)
				if err != nil || answer.Refused {
					continue
				}
				ours := ask(predict.Update, c.Next, live)
				if ours == nil {
					skipped++
					continue
				}
				updated++
				if !compare(t, (&probe.Asked{Object: o, Change: c}).String(), o.Kind, ours, answer.Stored, goForm) {
					gated++
				}
			}
		})
	}
	t.Logf("%d creations, %d updates; %d with fields that strategies drop, %d have no prediction", created, updated, gated, skipped)
}

func compare(t *testing.T, what string, k *server.Kind, ours map[string]any, stored runtime.Object, goForm *goform.Release) (compared bool) {
	t.Helper()
	theirs := must(k.Write(stored))(t)
	mine := must(k.Write(must(k.Read(ours))(t)))(t)
	if goForm != nil {
		if inGo, _ := goForm.Stored(ours); !reflect.DeepEqual(inGo, ours) {
			t.Errorf("%s: the object is not in the form of Go types:\nkube/predict %v\nGo           %v", what, ours, inGo)
		}
	}
	for _, m := range []map[string]any{mine, theirs} {
		metadata, _ := m["metadata"].(map[string]any)
		for _, field := range []string{"managedFields", "uid", "resourceVersion", "creationTimestamp"} {
			delete(metadata, field)
		}
	}
	for _, m := range []map[string]any{mine, theirs} {
		if spec, ok := m["spec"].(map[string]any); ok && k.Kind == "Service" {
			delete(spec, "ipFamilies") // the strategies here do not allocate addresses
			delete(spec, "ipFamilyPolicy")
		}
	}
	same := reflect.DeepEqual(mine["spec"], theirs["spec"]) && reflect.DeepEqual(mine["template"], theirs["template"])
	if !same && !strategiesKnown[k.Kind] {
		return false // strategies drop these fields if their feature gates are off
	}
	if !same {
		t.Errorf("%s:\nkube/predict %v\nKubernetes   %v", what, mine["spec"], theirs["spec"])
	}
	if got, want := generation(mine), generation(theirs); got != want {
		t.Errorf("%s: generation %v, want %v", what, got, want)
	}
	return true
}

// strategiesKnown are the kinds for which the complete spec is predicted.
var strategiesKnown = map[string]bool{"Service": true, "Namespace": true, "CertificateSigningRequest": true, "Ingress": true, "NetworkPolicy": true}

func generation(object map[string]any) any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata["generation"]
}

func setGeneration(t *testing.T, object runtime.Object, n int64) {
	t.Helper()
	object.(interface{ SetGeneration(int64) }).SetGeneration(n)
}

// TestNeedsResourceVersion compares the list of kinds that cannot be updated without a resourceVersion
// with Kubernetes' strategies.
func TestNeedsResourceVersion(t *testing.T) {
	s := &predict.Server{Kind: catalog().Kind, Release: must(defaults.New(builtin.Minor))(t)}
	need := 0
	for _, k := range server.Kinds {
		if _, known := catalog().Kind(k.APIVersion(), k.Kind); !known {
			continue // the kind is off by default
		}
		want := k.NeedsResourceVersion()
		if got := s.NeedsResourceVersion(k.APIVersion(), k.Kind); got != want {
			t.Errorf("%v: got %t, want %t", k, got, want)
		}
		if want {
			need++
		}
	}
	if need < 10 {
		t.Errorf("only %d kinds need a resourceVersion", need)
	}
}
