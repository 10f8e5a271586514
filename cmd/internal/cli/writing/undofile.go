// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// undoFile is the file from which the command undo can undo all changes. Each change is saved in
// the file on disk before it is sent.
type undoFile struct {
	name string
	contents
	at map[manifest.Identity]int
}

// contents is the content of an undo file.
type contents struct {
	// Undo is the version of the format.
	Undo    int       `json:"undo"`
	Command string    `json:"command"`
	Cluster string    `json:"cluster"`
	Time    time.Time `json:"time"`
	Records []*record `json:"objects"`
}

// form is the version of the format that this program reads and writes.
const form = 1

// record holds the states of an object before and after a write.
type record struct {
	Group      string `json:"group"`
	Version    string `json:"version"`
	Resource   string `json:"resource"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// UID is the UID of the object before the write. It is empty if the object did not exist.
	UID string `json:"uid,omitempty"`
	// Managed is set if the write changes only managed fields.
	Managed *managedBeforeAfter `json:"managedFields,omitempty"`
	// Object is set if the write changes the object itself.
	Object *objectBeforeAfter `json:"object,omitempty"`
}

// managedBeforeAfter holds the managed fields of an object before and after a write.
type managedBeforeAfter struct {
	Before []any `json:"before"`
	After  []any `json:"after"`
}

// objectBeforeAfter holds an object before and after a write.
type objectBeforeAfter struct {
	// Before is null if the object did not exist. After comes from the dry run, until the server has
	// answered the write.
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
	// Unknown lists the paths of values that the server can generate again in the write. It is empty
	// if After comes from the write.
	Unknown []string `json:"unknown,omitempty"`
}

// recordOf returns a record for an object, without its states before and after the write.
func recordOf(id manifest.Identity, resource cluster.Resource, namespace, uid string) *record {
	return &record{Group: resource.Group, Version: resource.Version, Resource: resource.Name, Kind: resource.Kind, Namespaced: resource.Namespaced, Namespace: namespace, Name: id.Name, UID: uid}
}

func (x *record) resource() cluster.Resource {
	return cluster.Resource{Group: x.Group, Version: x.Version, Name: x.Resource, Kind: x.Kind, Namespaced: x.Namespaced}
}

func (x *record) identity() manifest.Identity {
	apiVersion := x.Version
	if x.Group != "" {
		apiVersion = x.Group + "/" + x.Version
	}
	return manifest.Identity{APIVersion: apiVersion, Kind: x.Kind, Namespace: x.Namespace, Name: x.Name}
}

// notInNames matches characters that file names should not contain.
var notInNames = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// checkUndo returns an error if the undo file already exists.
func (f *Flags) checkUndo() error {
	if f.undo == "" {
		return nil
	}
	if _, err := os.Lstat(f.undo); err == nil {
		return command.Usagef("--undo %s: the file already exists; choose another name", f.undo)
	}
	return nil
}

// newFile creates an empty undo file.
func (w *writer) newFile() (*undoFile, error) {
	now := time.Now().UTC()
	u := &undoFile{name: w.f.undo, at: map[manifest.Identity]int{}, contents: contents{Undo: form, Command: w.r.Name, Cluster: w.c.Host, Time: now.Truncate(time.Second)}}
	if u.name != "" {
		return u, u.create()
	}
	_, host, ok := strings.Cut(w.c.Host, "://")
	if !ok {
		host = w.c.Host
	}
	base := "dovetail-undo-" + strings.Trim(notInNames.ReplaceAllString(host, "-"), "-") + "-" + now.Format("20060102T150405Z")
	for n := 1; ; n++ {
		u.name = base + ".json"
		if n > 1 {
			u.name = fmt.Sprintf("%s-%d.json", base, n)
		}
		if err := u.create(); !errors.Is(err, fs.ErrExist) {
			return u, err
		}
	}
}

func (u *undoFile) create() error {
	f, err := os.OpenFile(u.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, wholefile.ForOwner)
	if err != nil {
		return fmt.Errorf("the undo file cannot be created: %w", err)
	}
	return f.Close()
}

// save adds changes to the file on disk. If the file already has a change of the same object, the
// server has rejected that change, and save replaces it.
func (u *undoFile) save(list []*state) error {
	for _, s := range list {
		i, ok := u.at[s.ID]
		if !ok {
			i = len(u.Records)
			u.at[s.ID] = i
			u.Records = append(u.Records, nil)
		}
		u.Records[i] = s.Change.record
	}
	data, err := u.encode()
	if err == nil {
		err = wholefile.Write(u.name, data, wholefile.ForOwner)
	}
	if err != nil {
		return fmt.Errorf("the undo file %s cannot be written: %w", u.name, err)
	}
	// Sync the directory, so that the name of the file is also on disk. Ignore errors, because some
	// systems cannot sync directories.
	if dir, err := os.Open(filepath.Dir(u.name)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// encode returns the content of the file, with one line for each object.
func (u *undoFile) encode() ([]byte, error) {
	var b bytes.Buffer
	head := u.contents
	head.Records = nil
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	b.Write(bytes.TrimSuffix(text, []byte("null}")))
	b.WriteString("[")
	for i, x := range u.Records {
		if text, err = json.Marshal(x); err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(text)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// remove deletes the file, which is not needed if there is nothing to undo.
func (u *undoFile) remove() { _ = os.Remove(u.name) } // a file that stays does no harm

// readFile reads an undo file.
func readFile(name string) (*contents, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	wrong := func(format string, args ...any) error {
		return &manifest.Error{File: name, Message: fmt.Sprintf(format, args...)}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, wrong("is empty, because dovetail ended before it wrote an object")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	var c contents
	if err := d.Decode(&c); err != nil {
		return nil, wrong("is not an undo file that --write saved: %v", err)
	}
	if c.Undo != form {
		return nil, wrong("has the format version %d, but this dovetail reads only version %d", c.Undo, form)
	}
	seen := map[manifest.Identity]bool{}
	for i, x := range c.Records {
		if x == nil || x.Name == "" || x.Resource == "" || x.Version == "" || x.Kind == "" || (x.Managed == nil) == (x.Object == nil) || seen[x.identity()] {
			return nil, wrong("object %d in the file cannot be read", i+1)
		}
		seen[x.identity()] = true
	}
	return &c, nil
}
