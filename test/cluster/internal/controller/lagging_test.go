// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	v1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

var reconciles = flag.Int("reconciles", 3000, "how many reconciles TestLaggingCache makes")

// lagging is a cache of one ConfigMap that returns an old state. nil stands for no object.
type lagging struct {
	client.Reader
	name   string
	states []*corev1.ConfigMap
	at     int
}

func (l *lagging) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	state := l.states[l.at]
	if state == nil {
		return apierrors.NewNotFound(corev1.Resource("configmaps"), l.name)
	}
	state.DeepCopyInto(obj.(*corev1.ConfigMap))
	return nil
}

// record adds the current state of the server to the cache.
func (l *lagging) record(t *testing.T, server client.Reader) {
	t.Helper()
	now := &corev1.ConfigMap{}
	err := server.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: l.name}, now)
	switch {
	case apierrors.IsNotFound(err):
		now = nil
	case err != nil:
		t.Fatal(err)
	}
	l.states = append(l.states, now)
}

func (l *lagging) newest() *corev1.ConfigMap { return l.states[len(l.states)-1] }

// TestLaggingCache runs a controller with a gate and a cache that is up to ten events behind.
// Other clients write, too. A skip of the gate must be right for the current object. If it is
// not, the cache must still receive an event of another writer. This event lets the controller
// try again.
func TestLaggingCache(t *testing.T) {
	ctx := t.Context()
	server, err := testserver.Start(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	inner, err := client.New(server.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gate.New(gate.Options{Release: "1.37"})
	if err != nil {
		t.Fatal(err)
	}
	skipped, wrong, left := 0, 0, *reconciles
	for seed := uint64(0); left > 0; seed++ {
		r, name := rand.New(rand.NewPCG(seed, 5)), fmt.Sprintf("m%d", seed)
		cache := &lagging{Reader: inner, name: name, states: []*corev1.ConfigMap{nil}}
		byOthers := []bool{false} // for each state, whether another client wrote it
		c := gate.NewClient(inner, g, gate.ClientOptions{Live: cache})
		reconcile := func() {
			left--
			d, err := gate.Apply(ctx, c, v1.ConfigMap(name, "default").WithData(map[string]string{"a": "1"}), "shop", client.ForceOwnership)
			if err != nil {
				t.Fatal(err)
			}
			if d.Send() {
				cache.record(t, inner)
				byOthers = append(byOthers, false)
				return
			}
			skipped++
			if now := cache.newest(); now != nil && now.Data["a"] == "1" {
				return
			}
			wrong++
			coming := false
			for _, others := range byOthers[cache.at+1:] {
				coming = coming || others
			}
			if !coming {
				t.Errorf("seed %d: the gate skipped an apply wrongly, and no later event of another writer corrects it: the server has %v", seed, cache.newest())
			}
		}
		for range 40 {
			var w client.Client = c
			others := r.IntN(3) == 0
			if others {
				w = inner
			}
			m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Data: map[string]string{"a": fmt.Sprint(r.IntN(3))}}
			if now := cache.newest(); now != nil && r.IntN(2) == 0 {
				m.ResourceVersion = now.ResourceVersion
			}
			var err error
			switch r.IntN(8) {
			case 0:
				err = w.Update(ctx, m)
			case 1:
				err = w.Patch(ctx, m, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"data":{"a":"%d"}}`, r.IntN(3))))
			case 2:
				m.ResourceVersion = ""
				err = w.Delete(ctx, m)
			case 3:
				m.ResourceVersion = ""
				err = w.Create(ctx, m)
			case 4:
				err = w.Apply(ctx, v1.ConfigMap(name, "default").WithData(map[string]string{"a": fmt.Sprint(r.IntN(3))}), client.FieldOwner("other"), client.ForceOwnership)
			default:
				reconcile()
				cache.at = max(cache.at+r.IntN(len(cache.states)-cache.at), len(cache.states)-1-10)
				continue
			}
			if status := apierrors.APIStatus(nil); err != nil && !errors.As(err, &status) {
				t.Fatal(err)
			}
			if err == nil {
				cache.record(t, inner)
				byOthers = append(byOthers, others)
			}
		}
		cache.at = len(cache.states) - 1
		reconcile()
		if now := cache.newest(); now == nil || now.Data["a"] != "1" {
			t.Errorf("seed %d: in the end the server has %v", seed, now)
		}
	}
	if skipped == 0 {
		t.Error("the gate skipped no apply")
	}
	t.Logf("the gate skipped %d applies, %d of them before an event of another writer", skipped, wrong)
}
