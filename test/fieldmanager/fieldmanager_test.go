// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var (
	sequences = flag.Int("sequences", 60, "number of sequences of requests for each kind")
	seed      = flag.Uint64("seed", 1, "seed of the random sequences")
)

// TestSequences sends the same random requests to both field managers and compares the results.
func TestSequences(t *testing.T) {
	loaded := builtinTypes(t)
	for _, s := range subjects {
		t.Run(s.kind, func(t *testing.T) {
			var n counts
			for i := range *sequences {
				seed := *seed + uint64(i)
				sequence := &sequence{types: loaded, subject: s, counts: &n}
				if err := sequence.run(seed); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			t.Logf("%+v", n)
			if *sequences >= 50 && (n.Conflicts == 0 || n.Unchanged == 0 || n.Refused == 0 || n.Folded == 0 || n.Upgraded == 0) {
				t.Errorf("the sequences do not cover everything: %+v", n)
			}
		})
	}
}

// counts has the number of requests of each kind in the sequences.
type counts struct {
	Requests, Applied, Updated, Unchanged, Conflicts, Refused, Folded, BeforeFirst, LastApplied, Extracted, Upgraded, Migrated int
}

// sequence is a series of requests to one object.
type sequence struct {
	*counts
	types   *types
	subject *subject
	live    map[string]any
	now     time.Time
}

func (s *sequence) run(seed uint64) error {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), subject: s.subject}
	g.busy = g.chance(5)
	s.now = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	s.live = nil
	if g.chance(6) { // begin with an object that was written before the server tracked ownership
		s.live = g.cut(70)
		g.name(s.live, s.subject.versions[0])
		s.live["metadata"].(map[string]any)["uid"] = "u"
	}
	for i := range 10 + g.IntN(30) {
		s.now = s.now.Add(time.Duration(1+g.IntN(5)) * time.Second)
		r := g.request(s.live)
		if err := s.send(r); err != nil {
			return fmt.Errorf("request %d: apply %v, manager %q, force %v, version %s, subresource %q: %w\nlive   %s\nobject %s",
				i, r.apply, r.manager, r.force, r.apiVersion, r.subresource, err, plain.Text(s.live), plain.Text(r.object))
		}
		if r.apply && s.live != nil && g.chance(4) {
			if err := s.sendOwned(r); err != nil {
				return fmt.Errorf("after request %d: manager %q, version %s, subresource %q: %w\nlive   %s",
					i, r.manager, r.apiVersion, r.subresource, err, plain.Text(s.live))
			}
		}
		if s.live != nil && g.chance(3) {
			if err := s.migrate(oneOf(g, updaters), oneOf(g, appliers), r.subresource); err != nil {
				return fmt.Errorf("after request %d: %w\nlive %s", i, err, plain.Text(s.live))
			}
		}
		if s.live != nil && g.chance(2) {
			s.live = deepCopy(s.live).(map[string]any)
			s.live["metadata"].(map[string]any)["uid"] = "u"
		}
	}
	return nil
}

// send sends a request to both field managers, compares the results, and stores the object.
func (s *sequence) send(r request) error {
	s.Requests++
	theirs, theirErr := s.sendTheirs(r)
	before := plain.Text([]any{s.live, r.object})
	result, ourErr := s.sendOurs(r)
	if plain.Text([]any{s.live, r.object}) != before {
		return errors.New("the live object or the request was modified")
	}
	if theirErr != nil || ourErr != nil {
		s.Refused++
		return s.compareErrors(theirErr, ourErr)
	}
	ours := deepCopy(result.Object).(map[string]any)
	ours["apiVersion"] = s.subject.versions[0]
	if got, want := plain.Text(ours), plain.Text(theirs); got != want {
		return fmt.Errorf("the results differ:\nDovetail     %s\napimachinery %s", got, want)
	}
	changed := s.live == nil || plain.Text(s.live) != plain.Text(theirs)
	if result.Changed != changed {
		return fmt.Errorf("does the object change? Dovetail says %v, apimachinery %v", result.Changed, changed)
	}
	s.count(r, result)
	s.live = theirs
	return nil
}

// sendOwned extracts the fields of the applier, and applies them again.
func (s *sequence) sendOwned(r request) error {
	m, err := r.ours(s.types, s.now)
	if err != nil {
		return err
	}
	config, err := ownership.Extract(m, s.live, r.manager)
	if err != nil || config == nil {
		return err
	}
	s.Extracted++
	r.object, r.apiVersion = config, config["apiVersion"].(string)
	if err := s.send(r); err != nil {
		return fmt.Errorf("applying the owned fields, %s: %w", plain.Text(config), err)
	}
	return nil
}

func (s *sequence) count(r request, result *fieldmanager.Result) {
	if !result.Changed {
		s.Unchanged++
	} else if r.apply {
		s.Applied++
	} else {
		s.Updated++
	}
	for _, e := range result.Managed.Entries() {
		switch e.Manager {
		case "ancient-changes":
			s.Folded++
		case "before-first-apply":
			s.BeforeFirst++
		}
	}
	if annotations, ok := result.Object["metadata"].(map[string]any)["annotations"].(map[string]any); ok && r.manager == "kubectl" {
		if annotations[fieldmanager.LastAppliedAnnotation] != nil {
			s.LastApplied++
		}
	}
}

func (s *sequence) sendOurs(r request) (*fieldmanager.Result, error) {
	m, err := r.ours(s.types, s.now)
	if err != nil {
		return nil, err
	}
	if r.apply {
		return m.Apply(s.live, r.object, r.manager, r.force)
	}
	return m.Update(s.live, r.object, r.manager)
}

// sendTheirs runs apimachinery's field manager, and the steps of an API server before it stores
// the object.
func (s *sequence) sendTheirs(r request) (map[string]any, error) {
	m, err := r.theirs(s.types)
	if err != nil {
		return nil, err
	}
	for {
		live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": r.apiVersion, "kind": s.subject.kind}}
		if s.live != nil {
			live.Object = deepCopy(s.live).(map[string]any)
		}
		object := &unstructured.Unstructured{Object: deepCopy(r.object).(map[string]any)}
		start := time.Now()
		var out runtime.Object
		if r.apply {
			out, err = m.Apply(live, object, r.manager, r.force)
		} else {
			out, err = m.Update(live, object, r.manager)
		}
		if err != nil {
			return nil, err
		}
		u := out.(*unstructured.Unstructured)
		if !settleTimes(u, start, s.now) {
			continue // the clock reached the next second between two calls, so try again
		}
		u.SetAPIVersion(s.subject.versions[0])
		if s.live != nil {
			keepTimes(u, &unstructured.Unstructured{Object: s.live})
		}
		return u.Object, nil
	}
}

// keepTimes restores the times of managed fields if nothing else has changed, as an API server
// does before it stores an object.
func keepTimes(object, live *unstructured.Unstructured) {
	now, was := object.GetManagedFields(), live.GetManagedFields()
	if len(now) != len(was) || len(now) == 0 {
		return
	}
	for i := range now {
		a, b := now[i], was[i]
		a.Time, b.Time = nil, nil
		if !reflect.DeepEqual(a, b) {
			return
		}
	}
	a, b := object.DeepCopy(), live.DeepCopy()
	a.SetManagedFields(nil)
	b.SetManagedFields(nil)
	if plain.Text(a.Object) != plain.Text(b.Object) {
		return
	}
	for i := range now {
		now[i].Time = was[i].Time
	}
	object.SetManagedFields(now)
}

// compareErrors checks that both errors have the same conflicts, if there are any. apimachinery
// returns conflicts in random order.
func (s *sequence) compareErrors(theirs, ours error) error {
	if theirs == nil || ours == nil {
		return fmt.Errorf("the errors differ:\nDovetail     %v\napimachinery %v", ours, theirs)
	}
	var conflict *fieldmanager.ConflictError
	isConflict := errors.As(ours, &conflict)
	if isConflict != apierrors.IsConflict(theirs) {
		return fmt.Errorf("the errors differ:\nDovetail     %v\napimachinery %v", ours, theirs)
	}
	if !isConflict {
		return s.compareTexts(theirs, ours)
	}
	s.Conflicts++
	a, b := strings.Split(ours.Error(), "\n"), strings.Split(theirs.Error(), "\n")
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		return fmt.Errorf("the conflicts differ:\nDovetail     %v\napimachinery %v", ours, theirs)
	}
	for _, c := range conflict.Conflicts {
		if !c.HasLive && !c.HasYours {
			return fmt.Errorf("the conflict over %v has no values", c.Path)
		}
	}
	return nil
}

// compareTexts checks that both errors have the same reason. If an error has several findings,
// their order is random in apimachinery. The rest of the two texts may differ.
func (s *sequence) compareTexts(theirs, ours error) error {
	reason := func(err error) string {
		_, reason, ok := strings.Cut(err.Error(), ": .")
		if !ok {
			return err.Error()
		}
		return reason
	}
	if a, b := reason(ours), reason(theirs); a != b && !strings.Contains(b, "errors:\n") {
		return fmt.Errorf("the reasons of the errors differ:\nDovetail     %s\napimachinery %s", a, b)
	}
	return nil
}
