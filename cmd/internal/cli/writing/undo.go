// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// NewUndo returns the command undo.
func NewUndo(r *command.Run) *cobra.Command {
	var (
		name string
		f    Flags
		at   cluster.Flags
	)
	c := &cobra.Command{
		Use:   "undo -f FILE {--context NAME|--kubeconfig FILE}",
		Short: "Undo the changes that --write made in a cluster",
		Long: `Undo the changes that a command with --write made in a cluster: migrate, doctor --fix or apply.
FILE is the file that the command saved before it wrote. You can use the file even if the command was interrupted: undo
skips objects that the command did not write. You can run undo several times.

Undo restores only the fields that the command wrote, and keeps all other changes of the object.
If someone has changed such a field since, or has replaced the object, undo reports this and
restores nothing in the object. Undo deletes an object that the command created, unless another
client has written to it since. It never deletes a Namespace, a CustomResourceDefinition or a
volume, because their content would be lost.

Like --write, undo first sends a dry run for each object. The server accepts a request only if
the object has not changed since undo read it.

Exit status: 0 done; 3 invalid input, or undo could not undo all changes.`,
		Example: `  # Undo a write.
  dovetail undo -f undo.json --context shop

  # Undo a write in a script, without a question.
  dovetail undo -f undo.json --context shop --yes`,
	}
	f.registerYes(c.Flags())
	at.Register(c.Flags())
	c = r.Command(c, func() error {
		switch {
		case name == "":
			return command.Usagef("-f is missing: name the file that --write saved")
		case !at.EnableForPlugin(r):
			return command.Usagef("undo needs the cluster that the objects were written to: add --context or --kubeconfig")
		}
		if err := f.checkAsks(r, "undo"); err != nil {
			return err
		}
		file, err := readFile(name)
		if err != nil {
			return err
		}
		to, err := at.Open(r)
		if err != nil {
			return err
		}
		if _, _, err := to.Version(); err != nil {
			return err
		}
		return undo(r, &f, to, file)
	})
	c.Flags().StringVarP(&name, "filename", "f", "", "`file` that --write saved (required)")
	return c
}

// undo undoes the changes that a file describes.
func undo(r *command.Run, f *Flags, c *cluster.Cluster, file *contents) error {
	w := &writer{r: r, f: f, c: c, undoes: true}
	for _, x := range file.Records {
		i := &Item{ID: x.identity(), Of: x.resource(), Namespace: x.Namespace}
		i.Make = func(live *manifest.Object) (*Change, string) { return i.undo(x, live, c.Host == file.Cluster) }
		w.all = append(w.all, &state{Item: i})
	}
	if w.remake(w.all); w.stop != "" {
		return fmt.Errorf("%s; nothing was written", w.stop)
	}
	return w.write("Undo what dovetail " + file.Command + " wrote to")
}

// undo returns the change that undoes one record. It returns nil if there is nothing to undo. If
// undo is impossible, it returns nil and the reason.
func (i *Item) undo(x *record, live *manifest.Object, sameCluster bool) (*Change, string) {
	switch {
	case x.Managed != nil && live == nil:
		return nil, "is not undone: the object no longer exists"
	case live != nil && x.UID != "" && uid(live.Content) != x.UID:
		return nil, "is not undone, because the cluster now has a different object with this name"
	case x.Object != nil:
		return i.undoObject(x, live, sameCluster)
	}
	list, touched, clashes := restore(x.Managed.Before, x.Managed.After, managedFields(live.Content), false)
	if len(clashes) > 0 {
		return nil, "is not undone, because someone has since changed the managed fields of " + strings.Join(clashes, ", ")
	}
	if !touched {
		return nil, ""
	}
	return must(i.managedChange(live.Content, list, howUndone))
}

func uid(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	return unstructured.Text(metadata, "uid")
}

// restore returns the managed fields that a live object should have after an undo. It restores the
// entries that the write has changed. If there is nothing to restore, touched is false. The result
// clashes lists the owners whose entries someone else has changed since the write. The arguments
// are the managed fields before the write, after the write, and now.
//
// Undo itself also changes managed fields: dovetail becomes the owner of the fields that it
// restores, and fields that it removes lose their owners. These changes do not count as clashes,
// and restore removes the entry of dovetail. If sweep is true, restore removes this entry even if
// it restores no other entry.
func restore(before, after, live []any, sweep bool) (restored []any, touched bool, clashes []string) {
	was, is, now := entries(before), entries(after), entries(live)
	own := ownOwner(live)
	ignored := ownedFields(is).Difference(ownedFields(was))
	ours := setOf(now[own])
	if ours != nil {
		ignored = ignored.Union(ours)
	}
	back, done := map[string]bool{}, !sweep || ours == nil || was[own] != nil || is[own] != nil
	for _, owner := range slices.Sorted(maps.Keys(union(was, is))) {
		if sameEntry(was[owner], is[owner], nil) && (ours == nil || owner == own || sameEntry(was[owner], now[owner], nil) || !sameEntry(was[owner], now[owner], ours)) {
			continue // the entry is already right
		}
		back[owner] = true
		done = done && sameEntry(was[owner], now[owner], nil)
		if !sameEntry(is[owner], now[owner], ignored) {
			clashes = append(clashes, nameOf(cmpOr(now[owner], is[owner], was[owner])))
		}
	}
	if done {
		return live, false, nil
	}
	back[own] = true
	for _, e := range live {
		if !back[ownerOf(e)] {
			restored = append(restored, e)
		}
	}
	for _, e := range before {
		if back[ownerOf(e)] {
			restored = append(restored, e)
		}
	}
	return restored, true, clashes
}

// ownedFields returns the union of all field sets of entries.
func ownedFields(entries map[string]any) *fieldpath.Set {
	all := fieldpath.NewSet()
	for _, e := range entries {
		if set := setOf(e); set != nil {
			all = all.Union(set)
		}
	}
	return all
}

// ownOwner returns the owner of dovetail's entry. If undo has not restored any fields, there is no
// such entry, and ownOwner returns a text that differs from every owner.
func ownOwner(live []any) string {
	for _, e := range live {
		if m, ok := e.(map[string]any); ok && unstructured.Text(m, "manager") == Manager && unstructured.Text(m, "operation") == string(managedfields.OperationUpdate) && unstructured.Text(m, "subresource") == "" {
			return ownerOf(e)
		}
	}
	return "\n"
}

// setOf returns the field set of a managed fields entry. It returns nil if the entry cannot be
// read.
func setOf(entry any) *fieldpath.Set {
	if entry == nil {
		return nil
	}
	m, err := managedfields.DecodeEntries([]any{entry})
	if err != nil || m.Len() != 1 {
		return nil
	}
	return m.Entries()[0].Set
}

func cmpOr(all ...any) any {
	for _, v := range all {
		if v != nil {
			return v
		}
	}
	return nil
}

func union(a, b map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// entries returns the managed fields entries by owner.
func entries(list []any) map[string]any {
	all := map[string]any{}
	for _, e := range list {
		all[ownerOf(e)] = e
	}
	return all
}

// ownerOf returns the owner of an entry.
func ownerOf(entry any) string {
	e, _ := entry.(map[string]any)
	var parts []string
	for _, name := range []string{"manager", "operation", "apiVersion", "subresource"} {
		parts = append(parts, unstructured.Text(e, name))
	}
	return strings.Join(parts, "\n")
}

func nameOf(entry any) string {
	m, err := managedfields.DecodeEntries([]any{entry})
	if err != nil || m.Len() == 0 {
		return words.Flow(strings.Split(ownerOf(entry), "\n")[0])
	}
	return words.Owner(m.Entries()[0].Owner, nil)
}

// sameEntry reports whether two entries contain the same fields, except for the fields in ignored.
// It does not compare timestamps.
func sameEntry(a, b any, ignored *fieldpath.Set) bool {
	x, y := setOf(a), setOf(b)
	if ignored != nil && (a == nil || x != nil) && (b == nil || y != nil) {
		none := fieldpath.NewSet()
		return cmp.Or(x, none).Difference(ignored).Equals(cmp.Or(y, none).Difference(ignored))
	}
	if x == nil || y == nil {
		return sameJSON(a, b)
	}
	return x.Equals(y)
}

func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}
