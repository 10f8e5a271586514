// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// pair is an object to be written and the live object it is written to, nil if
// there is none.
type pair struct {
	object, live *manifest.Object
}

// address is what the API server finds an object by, whatever its version.
type address struct{ group, kind, namespace, name string }

func (t *types) addressOf(o *manifest.Object) address {
	id := o.Identity()
	a := address{groupOf(id.APIVersion), id.Kind, id.Namespace, id.Name}
	if t.clusterWide(id) {
		a.namespace = ""
	}
	return a
}

// clusterWide says whether objects such as the one named have no namespace, as far as
// that is known.
func (t *types) clusterWide(id manifest.Identity) bool {
	if t.catalog == nil {
		return false
	}
	k, _ := t.catalog.Kind(id.APIVersion, id.Kind)
	return k.Scope == openapi.ClusterWide
}

// groupOf is the group of an API version, empty for the one without a name.
func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// pairUp finds the live object of each object as the API server does: by group, kind,
// namespace and name, in whichever version it is. An object without a namespace is also
// the one live object with its name in some namespace.
func pairUp(objects, live []*manifest.Object, t *types) (pairs []pair, notes []string, errs manifest.Errors) {
	errs = append(twice(objects, t), twice(live, t)...)
	byAddress := map[address]*manifest.Object{}
	// anywhere finds the live objects of an address without its namespace.
	anywhere := map[address][]*manifest.Object{}
	namespaces := map[string]bool{}
	others := map[address]*manifest.Object{}
	for _, l := range live {
		a := t.addressOf(l)
		if a.namespace != "" {
			namespaces[a.namespace] = true
		}
		byAddress[a] = l
		others[address{kind: a.kind, namespace: a.namespace, name: a.name}] = l
		a.namespace = ""
		anywhere[a] = append(anywhere[a], l)
	}
	for _, o := range objects {
		id := o.Identity()
		want := t.addressOf(o)
		p := pair{object: o, live: byAddress[want]}
		if p.live == nil && want.namespace == "" && id.Name != "" {
			switch found := anywhere[want]; len(found) {
			case 0:
			case 1:
				if p.live = found[0]; len(namespaces) > 1 {
					notes = append(notes, fmt.Sprintf("%v has no namespace: it is compared with %v, the one live object of its name", id, p.live.Identity()))
				}
			default:
				errs = append(errs, o.Errorf(".metadata", "has no namespace, and %d live objects have its name: %v, %v: write metadata.namespace, or give the live objects of one namespace", len(found), found[0].Identity(), found[1].Identity()))
				continue
			}
		}
		if p.live == nil && len(live) > 0 {
			note := fmt.Sprintf("%v is not among the live objects: it is new", id)
			if other := others[address{kind: want.kind, namespace: want.namespace, name: want.name}]; other != nil {
				note += fmt.Sprintf(" (%v has it as %s, of another group)", other.Start(), other.Identity().APIVersion)
			}
			notes = append(notes, note)
		}
		pairs = append(pairs, p)
	}
	return pairs, notes, errs
}

// twice finds objects that are there more than once, in whichever versions.
func twice(objects []*manifest.Object, t *types) manifest.Errors {
	var errs manifest.Errors
	first := map[address]*manifest.Object{}
	for _, o := range objects {
		id := o.Identity()
		if id.Name == "" {
			continue
		}
		a := t.addressOf(o)
		if before, ok := first[a]; ok {
			as := ""
			if before.Identity() != id {
				as = fmt.Sprintf(" as %v", before.Identity())
			}
			errs = append(errs, o.Errorf("", "%v is given twice, first at %v%s", id, before.Start(), as))
			continue
		}
		first[a] = o
	}
	return slices.Clip(errs)
}
