// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// sharedPortName is the rule of portNames.
const sharedPortName = "shared-port-name"

// sharedName is a name that two ports of one list have.
type sharedName struct {
	// path is that of the second one's name.
	path, message string
}

// portNames finds ports of one list that have one name though they are several
// items: servers refuse that of the ports of services and containers. It comes about
// when the one who gave the first its name still owns it.
func portNames(b *fieldmanager.Blame) (found []sharedName) {
	type port struct {
		path string
		name *fieldmanager.Place
	}
	lists := map[string][]port{}
	for path, p := range b.All() {
		n := len(path)
		if n < 3 || path[n-1].FieldName == nil || *path[n-1].FieldName != "name" || path[n-2].Key == nil || path[n-3].FieldName == nil || *path[n-3].FieldName != "ports" {
			continue
		}
		name, ok := p.Value.(string)
		if !ok || name == "" {
			continue
		}
		list := path[:n-2].String()
		here := port{path[:n-1].String(), p}
		for _, other := range lists[list] {
			if other.name.Value == name {
				found = append(found, sharedName{path.String(), fmt.Sprintf(
					"%s is also the name of %s, which %s; the API server refuses two ports of one name, until who owns the one that is to go leaves it out",
					flow(name), other.path, ownedBy(b, other.name))})
			}
		}
		lists[list] = append(lists[list], here)
	}
	return found
}

// ownedBy says who owns a place.
func ownedBy(b *fieldmanager.Blame, p *fieldmanager.Place) string {
	var entries []fieldmanager.Entry
	for _, i := range p.Owners {
		entries = append(entries, b.Entries[i])
	}
	if len(entries) == 0 {
		return "nobody owns"
	}
	return "is owned by " + describeOwners(entries)
}

// notePortNames warns of ports that have one name in the result of a request.
func (o *outcome) notePortNames(t *types) {
	if o.result == nil {
		return
	}
	b, err := t.fieldManager(nil).Blame(o.result.Object)
	if err != nil {
		return // its own result is for the request to explain
	}
	for _, s := range portNames(b) {
		// A port that lacks a key is probably the other one, which was said.
		item := strings.TrimSuffix(s.path, ".name")
		if !slices.ContainsFunc(o.warnings, func(w warning) bool { return w.path == item }) {
			o.warn(s.path, s.message)
		}
	}
}

// portsTwice are the ports of a live object that have one name.
func (x *examined) portsTwice(t *types) (found manifest.Errors) {
	b, err := t.fieldManager(nil).Blame(x.Object)
	if err != nil {
		return nil // it was read before
	}
	for _, s := range portNames(b) {
		found = append(found, x.object.Errorf(s.path, "%s", s.message))
	}
	return found
}
