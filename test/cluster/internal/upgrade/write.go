// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/random"
)

// These are the kinds of writes.
const (
	apply     = "apply"
	force     = "forced apply"
	merge     = "merge patch"
	strategic = "strategic merge patch"
	put       = "update" // updates the live object; the body is merged into it as a merge patch
)

// write is one request.
type write struct {
	kind    *kind
	name    string // the name of the object
	version string
	sub     string // name of the subresource, or ""
	how     string
	manager string
	body    m
}

func (w write) key() string { return w.kind.key + "/" + namespace + "/" + w.name }

func (w write) path() string {
	path := w.kind.path(w.version) + "/" + w.name
	if w.sub != "" {
		path += "/" + w.sub
	}
	return path
}

func (w write) String() string {
	return fmt.Sprintf("%s by %s of %s", w.how, w.manager, w.path())
}

const (
	objects   = 4 // number of objects of each kind
	appliers  = 4
	updaters  = 3 // must not exceed ten, because a server would join the entries of more updaters
	statusman = "status"
)

// next returns a random write. The first write to an object creates it.
func (u *run) next(i int) write {
	if n := len(kinds) * objects; len(u.report.Turns) == 1 && i < n {
		w := u.apply(&kinds[i%len(kinds)], i/len(kinds), 0, true)
		w.how = force
		return w
	}
	k, object := &kinds[u.rnd.IntN(len(kinds))], u.rnd.IntN(objects)
	updater := fmt.Sprintf("u%d", u.rnd.IntN(updaters))
	w := write{kind: k, name: fmt.Sprintf("o%d", object), version: k.versions[u.rnd.IntN(len(k.versions))], manager: updater}
	switch p := u.rnd.IntN(100); {
	case p < 40:
		return u.apply(k, object, u.rnd.IntN(appliers), false)
	case p < 60:
		manager := u.rnd.IntN(appliers)
		last, ok := u.last[w.key()+applier(manager)]
		if !ok {
			return u.apply(k, object, manager, false)
		}
		last.how = random.Pick(u.rnd, apply, force).(string)
		return last
	case p < 72:
		w.how, w.body = put, k.patch(u.rnd)
	case p < 80:
		w.how, w.body = put, m{}
	case p < 90 || k.status == nil:
		w.how, w.body = merge, k.patch(u.rnd)
		if k.strategic && u.rnd.IntN(2) == 0 {
			w.how = strategic
		}
	default:
		w.how, w.sub, w.manager, w.body = merge, "status", statusman, k.status(u.rnd)
	}
	return w
}

func applier(i int) string { return fmt.Sprintf("a%d", i) }

// apply returns a random apply. It stores the apply, so that a later write can repeat it.
func (u *run) apply(k *kind, object, manager int, whole bool) write {
	w := write{kind: k, name: fmt.Sprintf("o%d", object), version: k.versions[u.rnd.IntN(len(k.versions))], how: apply, manager: applier(manager)}
	w.body = k.apply(u.rnd, whole || manager == 0)
	w.body["apiVersion"], w.body["kind"] = k.group+w.version, k.name
	metadata, _ := w.body["metadata"].(m)
	if metadata == nil {
		metadata = m{}
		w.body["metadata"] = metadata
	}
	metadata["name"] = w.name
	if u.rnd.IntN(2) == 0 {
		w.how = force
	}
	u.last[w.key()+w.manager] = w
	return w
}
