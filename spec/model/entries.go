// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// identity identifies an owner in metadata.managedFields (rule L1).
type identity struct {
	Manager     string `json:"manager,omitempty"`
	Operation   string `json:"operation"`
	Version     string `json:"apiVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
}

// text returns the owner's key in a Managers map. The key of an applier contains no version,
// because an applier remains the same owner when it changes the version.
func (i identity) text() string {
	if i.Operation == apply {
		i.Version = ""
	}
	b, err := json.Marshal(i)
	if err != nil {
		panic(err) // cannot happen, because an identity contains only strings
	}
	return string(b)
}

func identityOf(text string) (i identity) {
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		panic(err) // cannot happen, because identity.text encoded the argument
	}
	return i
}

// Operations of entries.
const (
	apply  = "Apply"
	update = "Update"
)

// entries holds the contents of metadata.managedFields: each owner's field set, and the time of
// its last write. An unknown time is nil. Both maps use the encoded identity of the owner as
// the key (see identity.text).
type entries struct {
	owners Managers
	times  map[string]*time.Time
}

func none() entries { return entries{Managers{}, map[string]*time.Time{}} }

// readEntries decodes the managedFields list of an object (rules L1, L2).
func readEntries(list any) (entries, error) {
	all := none()
	for _, item := range items(list) {
		word := func(name string) string {
			s, _ := field(item, name).(string)
			return s
		}
		i := identity{word("manager"), word("operation"), word("apiVersion"), word("subresource")}
		switch {
		case i.Operation != apply && i.Operation != update:
			return none(), fmt.Errorf("operation %q", i.Operation)
		case i.Version == "":
			return none(), fmt.Errorf("an entry has no version")
		case word("fieldsType") != "FieldsV1":
			return none(), fmt.Errorf("fieldsType %q", word("fieldsType"))
		}
		set := Set{}
		if fieldsV1 := field(item, "fieldsV1"); !isAbsent(fieldsV1) {
			var err error
			if set, err = Decode([]byte(text(fieldsV1))); err != nil {
				return none(), err
			}
		}
		all.owners[i.text()] = Entry{i.Version, i.Operation == apply, set}
		all.times[i.text()] = nil
		if at := word("time"); at != "" {
			t, err := time.Parse(time.RFC3339, at)
			if err != nil {
				return none(), err
			}
			all.times[i.text()] = &t
		}
	}
	return all, nil
}

// seconds returns the time of an owner's last write as Unix time. It returns 0 for an owner
// without a time, so that this owner comes first when owners are sorted by time.
func (es entries) seconds(id string) int64 {
	if t := es.times[id]; t != nil {
		return t.Unix()
	}
	return 0
}

// list encodes the entries as a sorted managedFields list. It returns Absent if there are no
// entries (rule L3).
func (es entries) list() any {
	var all []identity
	for id, e := range es.owners {
		i := identityOf(id)
		i.Version = e.Version
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b identity) int {
		return cmp.Or(
			cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(es.seconds(a.text()), es.seconds(b.text())),
			cmp.Compare(a.Manager, b.Manager),
			cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Subresource, b.Subresource),
		)
	})
	if len(all) == 0 {
		return Absent
	}
	var list []any
	for _, i := range all {
		var fieldsV1 any
		if err := json.Unmarshal(Encode(es.owners[i.text()].Set), &fieldsV1); err != nil {
			panic(err) // Encode wrote the set, so it can be decoded
		}
		entry := map[string]any{"operation": i.Operation, "apiVersion": i.Version, "fieldsType": "FieldsV1", "fieldsV1": fieldsV1}
		if i.Manager != "" {
			entry["manager"] = i.Manager
		}
		if i.Subresource != "" {
			entry["subresource"] = i.Subresource
		}
		if t := es.times[i.text()]; t != nil {
			entry["time"] = t.UTC().Format(time.RFC3339)
		}
		list = append(list, entry)
	}
	return list
}

// maxUpdates is the number of update entries that an object may have before fold joins some of
// them.
const maxUpdates = 10

// fold limits the number of update entries. It joins entries of the same version, oldest first,
// until at most maxUpdates entries remain, or only one entry for each version (rule L10).
func (es entries) fold() {
	var updates []string
	for id, e := range es.owners {
		if !e.Applied {
			updates = append(updates, id)
		}
	}
	slices.SortFunc(updates, func(a, b string) int {
		return cmp.Or(cmp.Compare(es.seconds(a), es.seconds(b)), cmp.Compare(a, b))
	})
	left := len(updates)
	oldest := map[string]string{}
	for _, id := range updates {
		e := es.owners[id]
		first, ok := oldest[e.Version]
		switch {
		case left <= maxUpdates:
			return
		case !ok:
			oldest[e.Version] = id
			continue
		}
		ancient := identity{"ancient-changes", update, e.Version, ""}.text()
		if _, ok := es.owners[ancient]; !ok {
			es.owners[ancient] = es.owners[first]
			delete(es.owners, first)
		}
		es.owners[ancient] = Entry{e.Version, false, union(es.owners[ancient].Set, e.Set)}
		es.times[ancient] = es.times[id]
		delete(es.owners, id)
		left--
	}
}
