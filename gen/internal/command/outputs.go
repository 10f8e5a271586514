// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/dovetail-ssa/dovetail/internal/wholefile"
)

// outputs collects the files to write. It writes either all of them or, if an error occurs, none,
// as far as the file system allows.
type outputs struct{ all []output }

// output is the new content of a file. A nil text removes the file.
type output struct {
	name string
	text []byte
}

func (o *outputs) add(name string, text []byte) { o.all = append(o.all, output{name, text}) }

// empty reports whether there is no file to write.
func (o *outputs) empty() bool {
	return !slices.ContainsFunc(o.all, func(f output) bool { return f.text != nil })
}

// generated adds a generated Go file. A nil text removes the existing file, but only if
// dovetail-gen generated it.
func (o *outputs) generated(name string, text []byte) {
	if text != nil {
		o.add(name, text)
		return
	}
	if old, err := current(name); err == nil && isOurs(old) {
		o.all = append(o.all, output{name, nil})
	}
}

// current returns the content of a file. For a pipe or a device, it returns fs.ErrNotExist,
// because reading could block.
func current(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(name)
}

// write writes all files under temporary names, and then renames them.
func (o *outputs) write() (err error) {
	staged := make([]*wholefile.Staged, len(o.all))
	defer func() {
		for _, s := range staged {
			if s != nil {
				s.Discard() // has no effect if all files were written
			}
		}
	}()
	for i, f := range o.all {
		if f.text == nil {
			continue
		}
		if old, err := current(f.name); err == nil && bytes.Equal(old, f.text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.name), 0o777); err != nil {
			return err
		}
		if staged[i], err = wholefile.Stage(f.name, f.text, wholefile.ForAll); err != nil {
			return fmt.Errorf("%s: %w", displayName(f.name), err)
		}
	}
	for i, f := range o.all {
		switch {
		case f.text == nil:
			err = os.Remove(f.name)
		case staged[i] != nil:
			err = staged[i].Place()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// difference prints the differences between the existing files and the generated files, and
// reports whether any file differs.
func difference(o *outputs, w io.Writer) (stale bool, err error) {
	for _, f := range o.all {
		old, err := current(f.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err == nil && f.text != nil && bytes.Equal(old, f.text) {
			continue
		}
		stale = true
		name := displayName(f.name)
		if _, err := w.Write(diff.Diff(name, old, name+" (generated)", f.text)); err != nil {
			return false, err
		}
	}
	return stale, nil
}

// displayName returns a file name for messages. If the file is inside the current directory, the
// name is relative to that directory.
func displayName(name string) string {
	if rel, err := filepath.Rel(absolute("."), absolute(name)); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return name
}
