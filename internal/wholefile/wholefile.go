// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// These are modes for Write and Stage. A new file gets the mode without the execute bits and the
// bits of the umask. An existing file keeps only those bits of its own mode that are also in the
// given mode.
const (
	ForAll   fs.FileMode = 0o777
	ForOwner fs.FileMode = 0o600
)

// Write replaces the whole content of a file. A link to a file stays a link. An existing file keeps
// only those bits of its mode that are also in the given mode. If name is a terminal, or a pipe
// that has a reader, Write writes directly to it.
func Write(name string, data []byte, mode fs.FileMode) error {
	s, err := Stage(name, data, mode)
	if err != nil {
		return err
	}
	return s.Place()
}

// Staged is a complete temporary file that does not have its final name yet.
type Staged struct {
	// target is the final name of the file, and temporary is its current name. If the target is a
	// terminal or a pipe, temporary is empty, and Place writes data directly to the target.
	target, temporary string
	data              []byte
}

// Stage writes the new content of a file to a temporary file next to it. The caller must then
// call Place or Discard.
func Stage(name string, data []byte, mode fs.FileMode) (*Staged, error) {
	target, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(name); err == nil {
			return nil, errors.New("is a link to a file that does not exist")
		}
		target = name
	} else if err != nil {
		return nil, err
	}
	was, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		was = nil
	case err != nil:
		return nil, err
	case was.IsDir():
		return nil, errors.New("is a directory")
	case !was.Mode().IsRegular():
		return &Staged{target: target, data: data}, nil
	}
	f, err := create(target, 0o666&mode)
	if err != nil {
		return nil, err
	}
	s := &Staged{target: target, temporary: f.Name()}
	_, err = f.Write(data)
	if was != nil {
		err = errors.Join(err, f.Chmod(was.Mode().Perm()&mode))
	}
	// Without Sync, the new name could be saved to the disk before the content.
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// create creates a file with a temporary name next to target.
func create(target string, mode fs.FileMode) (*os.File, error) {
	for {
		// The names of temporary files start with a dot, because Go and many commands ignore
		// such files.
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".dovetail-%x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Place moves the temporary file to its final name. If the target is not a regular file,
// Place writes to the target instead.
func (s *Staged) Place() error {
	if s.temporary != "" {
		err := os.Rename(s.temporary, s.target)
		if err != nil {
			s.Discard()
		}
		s.temporary = ""
		return err
	}
	// With nonBlocking, opening a pipe that has no reader returns an error instead of waiting.
	f, err := os.OpenFile(s.target, os.O_WRONLY|nonBlocking, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(s.data)
	return errors.Join(err, f.Close())
}

// Discard removes the temporary file. It does nothing if Place has moved the file.
func (s *Staged) Discard() {
	if s.temporary != "" {
		os.Remove(s.temporary) // ignore errors: the file may be gone
	}
}
