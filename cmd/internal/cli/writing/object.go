// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Applied returns an item that applies the predicted object. It returns nil if the
// apply changes nothing. If the object cannot be written, it adds an error to the outcome and
// returns nil.
func Applied(o *prediction.Outcome, masks *unstructured.Masks) *Item {
	change := applied(o, masks)
	if change == nil {
		return nil
	}
	w := change.Write
	i := &Item{ID: o.Object.Identity(), Of: w.Resource, Namespace: w.Namespace, Change: change}
	i.Make = func(live *manifest.Object) (*Change, string) {
		again := o.Maker.Make(prediction.Pair{Object: o.Object, Live: live}, false)
		if why := again.NotWritten(); why != "" {
			return nil, why
		}
		c := applied(again, masks)
		return c, again.NotWritten()
	}
	return i
}

func applied(o *prediction.Outcome, masks *unstructured.Masks) *Change {
	w, ok := o.Write(masks)
	if !ok {
		return nil
	}
	record := recordOf(o.Object.Identity(), w.Resource, w.Namespace, "")
	record.Object = &objectBeforeAfter{}
	if o.Live != nil {
		record.UID, record.Object.Before = uid(o.Live.Content), masks.Reveal(o.Live.Content)
	}
	record.Object.Unknown = o.Unknown()
	return &Change{Write: w, record: record, Differs: func(answer map[string]any) string {
		if d := o.DiffersFrom(answer); len(d) > 0 {
			return o.BugReport(d)
		}
		return ""
	}}
}

// undoObject returns the change that undoes an apply. It returns nil if there is nothing to undo.
// If undo is impossible, it returns nil and the reason. If the cluster still has the same address
// as at the time of the apply, sameCluster is true.
func (i *Item) undoObject(x *record, live *manifest.Object, sameCluster bool) (*Change, string) {
	before, after := x.Object.Before, x.Object.After
	switch {
	case before == nil && live == nil:
		return nil, ""
	case live == nil:
		return nil, "is not undone: the object no longer exists"
	case before == nil:
		return i.undoCreate(x.Object, live.Content, sameCluster)
	}
	u := newUndoComparison(x.Object)
	patch, restored := u.restorePatch(withManaged(before, nil), withManaged(after, nil), withManaged(live.Content, nil), "")
	list, touched, clashes := restore(managedFields(before), managedFields(after), managedFields(live.Content), true)
	switch {
	case len(u.clashes) > 0:
		return nil, "is not undone, because another client has since changed " + words.ShortList(u.clashes)
	case len(clashes) > 0:
		return nil, "is not undone, because someone has since changed the managed fields of " + strings.Join(clashes, ", ")
	case patch == nil && !touched:
		return nil, ""
	case patch == nil:
		return must(i.managedChange(live.Content, list, howUndone))
	}
	metadata, _ := patch["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	was, _ := live.Content["metadata"].(map[string]any)
	patch["metadata"], metadata["resourceVersion"] = metadata, unstructured.Text(was, "resourceVersion")
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err.Error()
	}
	return &Change{
		Write: cluster.Write{Form: cluster.Merge, Resource: i.Of, Namespace: i.Namespace, Name: i.ID.Name, Manager: Manager, Body: body},
		Differs: func(answer map[string]any) string {
			if lost := lostNulls(restored, answer, ""); len(lost) > 0 {
				return "is not undone, because undo cannot restore null in " + words.ShortList(lost)
			}
			if d := prediction.Differences(restored, withManaged(answer, nil), map[string]bool{templateCount: true}); len(d) > 0 {
				return prediction.BugReport(i.ID, howUndone, d)
			}
			return ""
		},
		// The patch restores fields and makes dovetail their owner. The second change then
		// restores their owners.
		then: func(object map[string]any) (*Change, string) {
			list, touched, clashes := restore(managedFields(before), managedFields(after), managedFields(object), true)
			switch {
			case len(clashes) > 0:
				return nil, "is undone, except the managed fields of " + strings.Join(clashes, ", ")
			case !touched:
				return nil, ""
			}
			return must(i.managedChange(object, list, howUndone))
		},
	}, ""
}

const howUndone = "undo by a merge patch"

func must(c *Change, err error) (*Change, string) {
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}

// containers lists resources whose deletion also deletes other objects or data. Undo does not
// delete their objects.
var containers = map[string]bool{
	"namespaces": true, "customresourcedefinitions.apiextensions.k8s.io": true,
	"persistentvolumeclaims": true, "persistentvolumes": true,
}

// undoCreate returns the change that deletes an object which the command has created. If another
// client has written to the object since then, undoCreate returns nil and the reason. It ignores
// writes to the status.
func (i *Item) undoCreate(x *objectBeforeAfter, live map[string]any, sameCluster bool) (*Change, string) {
	if containers[i.Of.String()] {
		return nil, "is not undone, because deleting this object would also delete its content: if you want that, delete the object yourself"
	}
	if !sameCluster {
		return nil, "is not undone, because the address of the cluster has changed since the write, so this may be a different object"
	}
	after, u := x.After, newUndoComparison(x)
	u.addClashes(withManaged(after, nil), withManaged(live, nil), "")
	made, now := entries(managedFields(after)), entries(managedFields(live))
	for _, owner := range slices.Sorted(maps.Keys(now)) {
		e, _ := now[owner].(map[string]any)
		if made[owner] == nil && unstructured.Text(e, "subresource") == "" {
			u.clashes = append(u.clashes, "fields of "+nameOf(e))
		}
	}
	if len(u.clashes) > 0 {
		return nil, "is not undone, because undo would delete the object, but another client has since written " + words.ShortList(u.clashes)
	}
	metadata, _ := live["metadata"].(map[string]any)
	return &Change{Write: cluster.Write{
		Form: cluster.Delete, Resource: i.Of, Namespace: i.Namespace, Name: i.ID.Name, Manager: Manager,
		UID: unstructured.Text(metadata, "uid"), ResourceVersion: unstructured.Text(metadata, "resourceVersion"),
	}}, ""
}

// undoComparison compares three states of an object: before the write, after the write, and now.
type undoComparison struct {
	// unknown lists the paths of values that only the server knows.
	unknown []string
	// hasStatus is true if undo treats the status like any other field; see writesStatus.
	hasStatus bool
	// clashes lists the paths that another client has changed since the write.
	clashes []string
}

func newUndoComparison(x *objectBeforeAfter) *undoComparison {
	return &undoComparison{unknown: x.Unknown, hasStatus: writesStatus(x.Before) || writesStatus(x.After)}
}

// writesStatus reports whether a request to the main endpoint has written the status of an object. That
// is impossible if the resource has the subresource status.
func writesStatus(object map[string]any) bool {
	status := fieldpath.MakePathOrDie("status")
	for _, e := range managedFields(object) {
		m, _ := e.(map[string]any)
		set := setOf(e)
		if unstructured.Text(m, "subresource") == "" && set != nil && (set.Has(status) || !set.WithPrefix(status[0]).Empty()) {
			return true
		}
	}
	return false
}

// serverFields lists fields that a server changes by itself. Undo ignores them.
var serverFields = []string{".metadata.resourceVersion", ".metadata.uid", ".metadata.generation", ".metadata.creationTimestamp", ".metadata.selfLink", templateCount}

func (u *undoComparison) ignores(path string) bool {
	return slices.Contains(serverFields, path) || path == ".status" && !u.hasStatus
}

// templateCount is the path of the annotation in which a server counts changes of a DaemonSet's
// template.
const templateCount = ".metadata.annotations.deprecated.daemonset.template.generation"

// restorePatch returns a merge patch that restores the fields of an object, and the restored object.
// Its arguments are three states of the object: before the write, after the write, and now. A field
// that has been changed since the write is not restored. It is added to clashes instead. A list
// counts as one value. If there is nothing to restore, the patch is nil.
func (u *undoComparison) restorePatch(before, after, live map[string]any, path string) (patch, restored map[string]any) {
	restored = live
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		at := path + "." + name
		was, wasThere := before[name]
		is, isThere := after[name]
		now, nowThere := live[name]
		if u.ignores(at) || wasThere == isThere && sameJSON(was, is) || wasThere == nowThere && sameJSON(was, now) {
			continue
		}
		a, ok := was.(map[string]any)
		b, ok2 := is.(map[string]any)
		c, ok3 := now.(map[string]any)
		change, result := was, was // a change to null removes the field
		switch {
		case ok && ok2 && ok3,
			!wasThere && ok2 && ok3 && !u.same(is, now, at): // other clients have written other fields meanwhile
			inner, below := u.restorePatch(a, b, c, at)
			if inner == nil {
				continue
			}
			change, result, wasThere = inner, below, true
		case isThere != nowThere || !u.same(is, now, at):
			u.clashes = append(u.clashes, at)
			continue
		}
		if patch == nil {
			patch, restored = map[string]any{}, maps.Clone(live)
		}
		patch[name] = change
		if delete(restored, name); wasThere {
			restored[name] = result
		}
	}
	return patch, restored
}

// same reports whether a value of the live object is the same as after the write. Values that only
// the server knows may differ.
func (u *undoComparison) same(is, now any, path string) bool {
	if slices.Contains(u.unknown, path) {
		return true
	}
	switch a := is.(type) {
	case map[string]any:
		b, ok := now.(map[string]any)
		if !ok {
			return false
		}
		for name := range union(a, b) {
			_, there := a[name]
			_, nowThere := b[name]
			if at := path + "." + name; there != nowThere && !slices.Contains(u.unknown, at) || !u.same(a[name], b[name], at) {
				return false
			}
		}
		return true
	case []any:
		b, ok := now.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !u.same(a[i], b[i], fmt.Sprintf("%s[%d]", path, i)) {
				return false
			}
		}
		return true
	}
	return sameJSON(is, now)
}

// lostNulls returns the paths at which the restored object has a null that the object in the
// server's response lacks. A merge patch can remove fields, but cannot set them to null.
func lostNulls(restored, answer any, path string) (lost []string) {
	switch a := restored.(type) {
	case map[string]any:
		b, _ := answer.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(a)) {
			at := path + "." + name
			if _, there := b[name]; a[name] == nil && !there {
				lost = append(lost, at)
			} else {
				lost = append(lost, lostNulls(a[name], b[name], at)...)
			}
		}
	case []any:
		b, _ := answer.([]any)
		for i := range a {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i < len(b):
				lost = append(lost, lostNulls(a[i], b[i], at)...)
			case a[i] == nil:
				lost = append(lost, at)
			}
		}
	}
	return lost
}

// addClashes compares an object after the write with the live object. If a field has another value,
// or no value, in the live object, addClashes adds the field to clashes.
func (u *undoComparison) addClashes(after, live map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		at := path + "." + name
		if u.ignores(at) || u.same(after[name], live[name], at) {
			continue
		}
		a, ok := after[name].(map[string]any)
		b, ok2 := live[name].(map[string]any)
		if ok && ok2 {
			u.addClashes(a, b, at)
			continue
		}
		u.clashes = append(u.clashes, at)
	}
}
