// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// SharedName is a name that two ports of one list have.
type SharedName struct {
	// Path is that of the second one's name.
	Path, Message string
}

// PortNames finds ports of one list that have one name though they are several
// items: servers refuse that of the ports of services and containers. It comes about
// when the one who gave the first its name still owns it.
func PortNames(b *ownership.BlameResult) (found []SharedName) {
	type port struct {
		path string
		name *ownership.Place
	}
	type listed struct{ list, name string }
	first := map[listed]port{}
	for path, p := range b.All() {
		n := len(path)
		if n < 3 || path[n-1].FieldName == nil || *path[n-1].FieldName != "name" || path[n-2].Key == nil || path[n-3].FieldName == nil || *path[n-3].FieldName != "ports" {
			continue
		}
		name, ok := p.Value.(string)
		if !ok || name == "" {
			continue
		}
		at := listed{path[:n-2].String(), name}
		other, there := first[at]
		if !there {
			first[at] = port{path[:n-1].String(), p}
			continue
		}
		found = append(found, SharedName{path.String(), fmt.Sprintf(
			"%s is also the name of %s, which %s; the API server refuses two ports of one name, until who owns the one that is to go leaves it out",
			words.Flow(name), other.path, ownedBy(b, other.name))})
	}
	return found
}

// ownedBy says who owns a place.
func ownedBy(b *ownership.BlameResult, p *ownership.Place) string {
	var entries []managedfields.Entry
	for _, i := range p.Owners {
		entries = append(entries, b.Entries[i])
	}
	if len(entries) == 0 {
		return "nobody owns"
	}
	return "is owned by " + words.Owners(entries)
}

// SharePortNames says whether two items of some list of ports in v have one name: most
// objects have none, and need not be blamed for it.
func SharePortNames(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if ports, ok := c.([]any); ok && name == "ports" && sameName(ports) || SharePortNames(c) {
				return true
			}
		}
	case []any:
		for _, c := range v {
			if SharePortNames(c) {
				return true
			}
		}
	}
	return false
}

func sameName(ports []any) bool {
	names := map[string]bool{}
	for _, p := range ports {
		port, _ := p.(map[string]any)
		name := unstructured.Text(port, "name")
		if name != "" && names[name] {
			return true
		}
		names[name] = true
	}
	return false
}

// notePortNames warns of ports that have one name in the result of a request.
func (o *Outcome) notePortNames(t *sources.Types) {
	if o.Result == nil || !SharePortNames(o.Result.Object) {
		return
	}
	b, err := ownership.Blame(t.FieldManager(nil), o.Result.Object)
	if err != nil {
		return // its own result is for the request to explain
	}
	for _, s := range PortNames(b) {
		// A port that lacks a key is probably the other one, which was said.
		item := strings.TrimSuffix(s.Path, ".name")
		if !slices.ContainsFunc(o.Warnings, func(w warning) bool { return w.Path == item }) {
			o.Warn(s.Path, s.Message)
		}
	}
}
