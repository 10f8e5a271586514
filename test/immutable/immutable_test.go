// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

var (
	updates = flag.Int("updates", 3000, "random updates")
	seed    = flag.Uint64("seed", 1, "seed for the random updates")
	all     = flag.Bool("all", false, "change all deep fields, of which the short run only changes some")
	update  = flag.Bool("update", false, "print changes that testdata/unseen.txt does not list, and do not fail")
)

const objectsFolder = "testdata/objects"

// objects returns the objects that the tests change.
var objects = sync.OnceValues(func() ([]*probe.Object, error) { return probe.Objects(objectsFolder) })

// catalog has the types of the linked release, and release has its immutable fields.
var (
	catalog = sync.OnceValue(func() *openapi.Catalog { return orPanic(openapi.BuiltinRelease(builtin.Minor, openapi.Options{})) })
	release = sync.OnceValue(func() *immutable.Release { return orPanic(immutable.New(builtin.Minor)) })
)

func orPanic[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestObjects checks that there is an object of every kind, that each object is valid, and that
// the server accepts an update without changes.
func TestObjects(t *testing.T) {
	all := must(objects())(t)
	seen := map[*server.Kind]bool{}
	for _, o := range all {
		seen[o.Kind] = true
		internal := must(o.Kind.Read(o.Content))(t)
		if err := o.Kind.Create(internal); err != nil {
			t.Errorf("%v: %v", o, err)
		}
		if answer := must(o.Kind.Update(internal, internal))(t); answer.Refused {
			t.Errorf("%v: the server rejects an update that changes nothing: %v", o, answer)
		}
	}
	for _, k := range server.Kinds {
		if !seen[k] {
			t.Errorf("%s %s has no object in testdata/objects", k.APIVersion(), k.Kind)
		}
	}
}

// refusals returns the violations that Check reports for an update. The argument sent is the new
// object as a client sends it, and stored is the same object as a server stores it.
func refusals(t *testing.T, k *server.Kind, before, sent, stored map[string]any) []immutable.Violation {
	typ, ok := catalog().Type(k.APIVersion(), k.Kind)
	if !ok {
		return nil
	}
	all := must(release().Check(typ, before, sent))(t)
	return append(all, must(release().Check(typ, before, stored))(t)...)
}

// TestEveryField changes, sets and unsets every field of every kind once. The server must
// reject the changes that Check rejects. testdata/unseen.txt must list the changes that only
// the server rejects, with reasons. Fields that the embedded types do not have need not be
// listed.
func TestEveryField(t *testing.T) {
	list := readUnseen(t)
	table := probe.NewTable()
	var asked, refused, seen, newer, wrong, number int
	for _, o := range must(objects())(t) {
		table.Root(o.Kind).All(func(p *probe.Place) {
			if number++; len(p.Path) > 5 && !*all && number%8 != 0 {
				return
			}
			for _, c := range p.Changes(o.Content) {
				a := probe.Ask(o, c)
				if a.Verdict == probe.Unreadable {
					continue
				}
				asked++
				ours := refusals(t, o.Kind, a.Before, c.Next, a.After)
				if len(ours) > 0 && (a.Verdict == probe.Accepted || a.Verdict == probe.Ignored) {
					wrong++
					t.Errorf("%v: the server accepts it, but Check returns %v", a, ours[0])
				}
				if a.Verdict != probe.Refused {
					continue
				}
				refused++
				switch {
				case len(ours) > 0:
					seen++
				case !embedded(o.Kind, p):
					newer++
				default:
					list.add(t, a)
				}
			}
		})
	}
	t.Logf("%d changes, of which the server rejects %d: Check rejects %d of these, %d are of fields that the embedded types do not have, and %d are listed; Check wrongly rejects %d others",
		asked, refused, seen, newer, refused-seen-newer, wrong)
	list.check(t)
}

// embedded reports whether the types that kube/immutable embeds have a field.
func embedded(k *server.Kind, p *probe.Place) bool {
	typ, ok := catalog().Type(k.APIVersion(), k.Kind)
	ref := typ.TypeRef
	for _, step := range p.Path {
		atom, known := typ.Schema.Resolve(ref)
		switch {
		case !ok || !known:
			return false
		case step == probe.Item && atom.List != nil:
			ref = atom.List.ElementType
		case step == probe.Value && atom.Map != nil:
			ref = atom.Map.ElementType
		case atom.Map != nil:
			f, there := atom.Map.FindField(step)
			if !there && len(atom.Map.Fields) > 0 {
				return false
			}
			ref = f.Type
		default:
			return true
		}
	}
	return ok
}

// unseen has the fields whose changes the server rejects although Check accepts them. Each line
// of the file names a kind and a field. The comment above a group of lines gives the reason. A
// star at the end of a field includes all fields below it. A line that ends in " since 1.36"
// applies to release 1.36 and later. A line that ends in " until 1.36" applies to 1.36 and
// earlier.
type unseen struct {
	reasons map[string]string
	found   map[string]bool
	more    map[string]bool
}

const unseenFile = "testdata/unseen.txt"

func readUnseen(t *testing.T) *unseen {
	u := &unseen{map[string]string{}, map[string]bool{}, map[string]bool{}}
	text := must(os.ReadFile(unseenFile))(t)
	reason := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			reason = rest
		} else if line, holds := probe.OfRelease(line, builtin.Minor); holds && line != "" {
			u.reasons[line] = reason
		}
	}
	return u
}

// add records a change that only the server rejects.
func (u *unseen) add(t *testing.T, a *probe.Asked) {
	name := fmt.Sprintf("%s %s %v", a.Object.Kind.APIVersion(), a.Object.Kind.Kind, a.Change.Place)
	listed := false
	for line := range u.reasons {
		prefix, below := strings.CutSuffix(line, "*")
		if line == name || below && strings.HasPrefix(name, prefix) {
			u.found[line], listed = true, true
		}
	}
	if listed {
		return
	}
	if *update {
		if !u.more[name] {
			u.more[name] = true
			t.Logf("not listed: %s: %v: %.300v", name, a, a.Why)
		}
		return
	}
	t.Errorf("%v is rejected by the server but not by Check, and not listed in %s: %v", a, unseenFile, a.Why)
}

func (u *unseen) check(t *testing.T) {
	for line, reason := range u.reasons {
		if !u.found[line] && (*all || !strings.HasSuffix(line, "*")) {
			t.Errorf("%s: listed in %s, but Check rejects it now, or the server accepts it", line, unseenFile)
		}
		if reason == "" {
			t.Errorf("%s: %s gives no reason", line, unseenFile)
		}
	}
}

// TestRandomUpdates makes random updates with several changes. It passes the new object to
// Check as a client sends it, and as a server stores it. The server must reject the changes
// that Check rejects.
func TestRandomUpdates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(*seed, 37))
	objects := must(objects())(t)
	places := map[*server.Kind][]*probe.Place{}
	for _, o := range objects {
		if places[o.Kind] == nil {
			probe.Places(o.Kind.Type()).All(func(p *probe.Place) { places[o.Kind] = append(places[o.Kind], p) })
		}
	}
	var refused, seen, wrong int
	missed := map[string]int{}
	for n := range *updates {
		o := objects[rnd.IntN(len(objects))]
		old := o.Content
		for range rnd.IntN(3) {
			old = edited(rnd, places[o.Kind], old)
		}
		if rnd.IntN(2) == 0 { // start the next update from the stored object
			if internal, err := o.Kind.Read(old); err == nil {
				old = must(o.Kind.Write(internal))(t)
			}
		}
		next := old
		for range 1 + rnd.IntN(3) {
			next = edited(rnd, places[o.Kind], next)
		}
		if rnd.IntN(4) == 0 {
			next = o.Content
		}
		a := probe.Ask(o, probe.Change{Place: places[o.Kind][0], How: "random", Old: old, Next: next})
		if a.Verdict == probe.Unreadable {
			continue
		}
		ours := refusals(t, o.Kind, a.Before, next, a.After)
		if a.Verdict == probe.Refused {
			if refused++; len(ours) > 0 {
				seen++
			} else {
				missed[fmt.Sprintf("%v %.100v", o.Kind.Kind, a.Why[0])]++
			}
		}
		if len(ours) > 0 && (a.Verdict == probe.Accepted || a.Verdict == probe.Ignored) {
			wrong++
			t.Errorf("update %d, seed %d, of %v: the server accepts it, but Check returns %v\nfrom %v\nto   %v", n, *seed, o, ours[0], old, next)
		}
	}
	t.Logf("%d random updates; the server rejects the change in %d, and Check in %d of them; Check wrongly rejects %d others", *updates, refused, seen, wrong)
	if testing.Verbose() {
		for why, n := range missed {
			t.Logf("Check accepts %5d changes that the server rejects: %s", n, why)
		}
	}
}

// edited returns an object with one random change.
func edited(rnd *rand.Rand, places []*probe.Place, object map[string]any) map[string]any {
	for range 20 {
		p := places[rnd.IntN(len(places))]
		if len(p.Path) > 2 && rnd.IntN(len(p.Path)) > 1 {
			continue // skip deep places more often, because most places are deep
		}
		if changes := p.Changes(object); len(changes) > 0 {
			return changes[rnd.IntN(len(changes))].Next
		}
	}
	return object
}

// must returns a function that stops the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
