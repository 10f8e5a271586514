// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
)

// places returns at most n fields of a kind, in random order. It returns nil if the
// Go type of the kind is not known.
func places(kind openapi.Kind, rnd *rand.Rand, n int) (all []*probe.Place) {
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return nil
	}
	t, ok := scheme.Scheme.AllKnownTypes()[gv.WithKind(kind.Kind)]
	if !ok {
		return nil
	}
	probe.Places(t).All(func(p *probe.Place) { all = append(all, p) })
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// updated is an object that exists on all servers.
type updated struct {
	*verdicts
	kind openapi.Kind
	path string
	// content is the object as it was sent last. It is nil if a server rejected the last
	// write.
	content object
	// live has the object as each server stores it.
	live [3]object
}

// update changes, sets and unsets fields of an object, one at a time.
func (v *verdicts) update(ctx context.Context, o object, rnd *rand.Rand) error {
	kind, _ := v.types.Kind(text(o["apiVersion"]), text(o["kind"]))
	u := &updated{verdicts: v, kind: kind, path: collection(kind, o) + "/" + text(metadata(o)["name"])}
	for _, place := range places(kind, rnd, v.Places) {
		subresource := ""
		if len(place.Path) > 0 && place.Path[0] == "status" {
			if !slices.Contains(kind.Subresources, "status") {
				continue
			}
			subresource = "/status"
		}
		for _, change := range place.Changes(o) {
			if ok, err := u.store(ctx, change.Old, subresource); err != nil {
				return err
			} else if !ok {
				continue
			}
			var answers [3]answer
			for i := range v.clients {
				var err error
				if answers[i], err = u.put(ctx, i, change.Next, subresource, true); err != nil {
					return err
				}
			}
			v.count(text(o["apiVersion"])+" "+text(o["kind"])+subresource+updatedSuffix, change.Next, u.live[0], answers)
		}
	}
	return u.remove(ctx)
}

func (u *updated) remove(ctx context.Context) error {
	u.content = nil
	for _, c := range u.clients {
		if err := c.remove(ctx, u.path); err != nil {
			return err
		}
	}
	return nil
}

// store stores an object on all servers. It updates the existing object, or creates the object
// again if an update is not possible. The first result is false if a server rejects the object.
func (u *updated) store(ctx context.Context, o object, subresource string) (ok bool, err error) {
	if u.content != nil && reflect.DeepEqual(u.content, o) {
		return true, nil
	}
	if u.content == nil || subresource != "" {
		if ok, err := u.create(ctx, o); err != nil || !ok {
			return false, err
		}
		if subresource == "" {
			return true, nil
		}
	}
	if ok, err = u.replace(ctx, o, subresource); err != nil || ok || subresource != "" {
		return ok, err
	}
	return u.create(ctx, o)
}

// create deletes the object if it exists, and creates it again.
func (u *updated) create(ctx context.Context, o object) (bool, error) {
	if err := u.remove(ctx); err != nil {
		return false, err
	}
	all := true
	for i, c := range u.clients {
		a, err := c.apply(ctx, u.kind, o, "first", false)
		if err != nil {
			return false, err
		}
		u.live[i], all = a.body, all && a.ok()
	}
	if u.content = nil; all {
		u.content = o
	}
	return all, nil
}

func (u *updated) replace(ctx context.Context, o object, subresource string) (bool, error) {
	all := true
	for i := range u.clients {
		a, err := u.put(ctx, i, o, subresource, false)
		if err != nil {
			return false, err
		}
		if all = all && a.ok(); a.ok() {
			u.live[i] = a.body
		}
	}
	if u.content = nil; all {
		u.content = o
	}
	return all, nil
}

// put sends an update to a server.
func (u *updated) put(ctx context.Context, i int, o object, subresource string, dryRun bool) (answer, error) {
	o = runtime.DeepCopyJSON(o)
	metadata(o)["resourceVersion"] = metadata(u.live[i])["resourceVersion"]
	data, err := json.Marshal(o)
	if err != nil {
		return answer{}, err
	}
	c := u.clients[i]
	r := c.rest.Put().AbsPath(u.path+subresource).Param("fieldManager", "updater").Body(data)
	if dryRun {
		r = r.Param("dryRun", "All")
	}
	return c.do(ctx, r)
}

// updates runs update for the objects of all kinds.
func (v *verdicts) updates(ctx context.Context, valid map[string][]object, rnd *rand.Rand) error {
	if v.Places == 0 {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(valid)) {
		for _, o := range valid[kind][:min(len(valid[kind]), 2)] {
			if slices.Contains(notStored, text(o["kind"])) {
				continue
			}
			if err := v.update(ctx, o, rnd); err != nil {
				return err
			}
		}
	}
	return nil
}
