package cli

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// pair is an object to be written and the live object it is written to, nil if
// there is none.
type pair struct {
	object, live *manifest.Object
}

// pairUp finds the live object of each object, by apiVersion, kind, namespace
// and name. An object without a namespace is also the one live object with
// its name in some namespace.
func pairUp(objects, live []*manifest.Object) (pairs []pair, notes []string, errs manifest.Errors) {
	errs = append(twice(objects), twice(live)...)
	byIdentity := map[manifest.Identity]*manifest.Object{}
	// anywhere finds the live objects of an identity without its namespace,
	// others those without the API version.
	anywhere := map[manifest.Identity][]*manifest.Object{}
	others := map[manifest.Identity]*manifest.Object{}
	namespaces := map[string]bool{}
	for _, l := range live {
		id := l.Identity()
		if id.Namespace != "" {
			namespaces[id.Namespace] = true
		}
		byIdentity[id] = l
		others[manifest.Identity{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}] = l
		id.Namespace = ""
		anywhere[id] = append(anywhere[id], l)
	}
	for _, o := range objects {
		id := o.Identity()
		p := pair{object: o, live: byIdentity[id]}
		if p.live == nil && id.Namespace == "" && id.Name != "" {
			switch found := anywhere[id]; len(found) {
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
			if other := others[manifest.Identity{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}]; other != nil {
				note += fmt.Sprintf(" (%v has it as %s, which is not the same)", other.Start(), other.Identity().APIVersion)
			}
			notes = append(notes, note)
		}
		pairs = append(pairs, p)
	}
	return pairs, notes, errs
}

// twice finds objects that are there more than once.
func twice(objects []*manifest.Object) manifest.Errors {
	var errs manifest.Errors
	first := map[manifest.Identity]*manifest.Object{}
	for _, o := range objects {
		id := o.Identity()
		if id.Name == "" {
			continue
		}
		if before, ok := first[id]; ok {
			errs = append(errs, o.Errorf("", "%v is given twice, first at %v", id, before.Start()))
			continue
		}
		first[id] = o
	}
	return slices.Clip(errs)
}
