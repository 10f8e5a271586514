// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
)

// journal is the file of a store: a line that says so, and then one of JSON for each change. A server
// that is killed has all that it has answered; a last line that is not whole was not answered. The file
// is made anew, with what is there alone, when it is opened and when it has become large.
type journal struct {
	name string
	file *os.File
	// size is that of the file, compact what it was when it was made anew.
	size, compact int64
}

// header is the first line of a journal, by which it is known.
type header struct {
	Dovetail string `json:"dovetail"` // "testserver"
	Version  int    `json:"version"`  // 1
	Revision int64  `json:"revision"` // of the store when the file was made anew
}

// maxLine bounds a line. An object comes in a body of 3 MiB at most.
const maxLine = 64 << 20

// slack is how much a journal grows, and how many times, before it is made anew.
const slack = 16 << 20

// change is a line of a journal.
type change struct {
	Resource string `json:"resource"`
	// Object is what was stored, and the others what was removed.
	Object    map[string]any `json:"object,omitempty"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name,omitempty"`
	Revision  int64          `json:"revision"`
}

// openJournal reads what was stored in a file into an empty store, and has the store write to it. There
// may be no such file yet. A file that is no journal stays as it is.
func (s *store) openJournal(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.Open(name)
	switch {
	case err == nil:
		err = s.load(file)
		file.Close()
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.forgotten = s.revision
	s.journal = &journal{name: name}
	return s.compact()
}

// notEmpty is an error if a file without a whole line has anything in it.
func notEmpty(file *os.File) error {
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		err = errors.New("it is no file of a test server, and not empty")
	}
	return err
}

// load makes the changes that a journal has.
func (s *store) load(from *os.File) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	lines.Split(wholeLines)
	n := 0
	for lines.Scan() {
		line := lines.Bytes()
		if n++; n == 1 {
			var h header
			if json.Unmarshal(line, &h) != nil || h.Dovetail != "testserver" || h.Version != 1 {
				return errors.New("it is no file of a test server: its first line is not as in one")
			}
			s.revision = h.Revision
			continue
		}
		var c change
		if err := utiljson.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if c.Resource == "" || c.Object == nil && c.Name == "" {
			return fmt.Errorf("line %d: want a resource, and an object or a name", n)
		}
		r, k := schema.ParseGroupResource(c.Resource), key{c.Namespace, c.Name}
		if c.Object != nil {
			k = keyOf(c.Object)
		}
		if was := s.objects[r][k]; was != nil {
			s.bytes -= was.size
			delete(s.objects[r], k)
		}
		if c.Object != nil {
			s.keep(r, c.Object, c.objectSize(line))
		}
		if s.revision = max(s.revision, c.Revision); s.bytes > s.maxBytes {
			return fmt.Errorf("line %d: the objects are larger than %d bytes", n, s.maxBytes)
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return fmt.Errorf("line %d: %w", n+1, err)
	case n == 0:
		return notEmpty(from)
	}
	return nil
}

// wholeLines is a bufio.SplitFunc of lines that end. What comes after the last one was not answered, but
// in a file without one.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// objectSize returns the size of the object in the line of a change, which is at most the size that
// the store counted when it stored the object.
func (c change) objectSize(line []byte) int64 {
	c.Object = nil
	rest, err := json.Marshal(c)
	if err != nil {
		return int64(len(line))
	}
	return int64(len(line) - len(rest) - len(`"object":,`))
}

// errTooDeep refuses an object whose line could not be read again.
var errTooDeep = errors.New("the object is nested too deeply to be stored")

// write appends a change, which has happened once it is there. The error wraps errTooDeep if load
// could not read the change.
func (s *store) write(c change) error {
	j := s.journal
	if j == nil {
		return nil
	}
	if j.file == nil {
		return errors.New("the server has ended")
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if !json.Valid(line) { // it bounds the depth of a text, as load does
		return errTooDeep
	}
	n, err := j.file.Write(append(line, '\n'))
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size)) // no half line stays
	}
	j.size += int64(n)
	return nil
}

// shrink makes a journal anew that has become large.
func (s *store) shrink() error {
	if j := s.journal; j == nil || j.size < 4*j.compact+slack {
		return nil
	}
	return s.compact()
}

// compact writes the file anew, with what is stored. It is whole at each moment.
func (s *store) compact() error {
	text := &bytes.Buffer{}
	write := json.NewEncoder(text)
	write.SetEscapeHTML(false)
	if err := write.Encode(header{"testserver", 1, s.revision}); err != nil {
		return err
	}
	for r, objects := range s.objects {
		for _, o := range objects {
			if err := write.Encode(change{Resource: r.String(), Object: o.object, Revision: s.revision}); err != nil {
				return err
			}
		}
	}
	j := s.journal
	if err := j.close(); err != nil {
		return err
	}
	if err := wholefile.Write(j.name, text.Bytes(), wholefile.ForOwner); err != nil {
		return err
	}
	file, err := os.OpenFile(j.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	j.file, j.size, j.compact = file, int64(text.Len()), int64(text.Len())
	return nil
}

// end closes the file.
func (s *store) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.close() // each change is in it
}

// close ends the file. It may be called more than once, and of no journal.
func (j *journal) close() error {
	if j == nil || j.file == nil {
		return nil
	}
	file := j.file
	j.file = nil
	return file.Close()
}

// restore serves what the objects of a journal define.
func (s *Server) restore() error {
	all, _ := s.store.list(schema.GroupResource{Group: definitionKind.Group, Resource: definitions}, "")
	slices.SortFunc(all, func(a, b map[string]any) int { return keyOf(a).compare(keyOf(b)) })
	for _, object := range all {
		data, err := json.Marshal(document.WithoutManagedFields(object))
		if err != nil {
			return err
		}
		if _, err := s.types.Define(data); err != nil {
			return fmt.Errorf("%s: %w", s.options.File, err)
		}
	}
	s.learn()
	return nil
}
