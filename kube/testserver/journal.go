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
	"maps"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
)

// journal is the file of a store. It has a header line, followed by a line of JSON for each change.
//
// If the server is killed, the file still contains all changes that clients were told about. The
// last line may be incomplete, but no client was told about the change in this line. To keep the
// file small, the store rewrites it with only the current objects. It does so when it opens the
// file, and whenever the file has become large.
type journal struct {
	name string
	file *os.File
	// size is the current size of the file. compact is the size that it had after the last rewrite.
	size, compact int64
	// unlock releases the lock on the file.
	unlock func()
}

// header is the first line of a journal. It identifies the file as a journal.
type header struct {
	Dovetail string `json:"dovetail"` // "testserver"
	Version  int    `json:"version"`  // always 1
	Revision int64  `json:"revision"` // the store's revision when the file was last rewritten
}

// maxLine is the maximum length of a line. A request body with an object has at most 3
// MiB.
const maxLine = 64 << 20

// A journal is rewritten when it is larger than 4*compact + slack bytes, where compact is its size
// after the last rewrite.
const slack = 16 << 20

// change is a line of a journal.
type change struct {
	Resource string `json:"resource"`
	// Object is the stored object. If Object is nil, the change removed the object that the
	// other fields identify.
	Object    map[string]any `json:"object,omitempty"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name,omitempty"`
	Revision  int64          `json:"revision"`
}

// openJournal reads the objects in a file into an empty store. From then on, the store writes its
// changes to the file. If the file does not exist, openJournal creates it. If the file is not a
// journal, openJournal returns an error and does not modify it. If another server uses the file,
// openJournal also returns an error. After an error, the caller must call end.
func (s *store) openJournal(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := lockJournal(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.journal = &journal{name: name, unlock: unlock}
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
	return s.compact()
}

// notEmpty returns an error if a file is not empty. A file without a complete line can only be a
// journal if it is empty.
func notEmpty(file *os.File) error {
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		err = errors.New("this is not a file of a test server, and it is not empty")
	}
	return err
}

// load reads a journal and applies the changes in it.
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
				return errors.New("this is not a file of a test server: the first line is not its header")
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

// wholeLines is a bufio.SplitFunc that returns complete lines. It skips an incomplete last line,
// because no client was told about the change in it.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// objectSize returns the size of the object in a change. The argument line is the change as JSON. The
// result is never larger than the size that was counted when the object was stored.
func (c change) objectSize(line []byte) int64 {
	c.Object = nil
	rest, err := json.Marshal(c)
	if err != nil {
		return int64(len(line))
	}
	return int64(len(line) - len(rest) - len(`"object":,`))
}

// errTooDeep means that an object is nested too deeply to be read back from the journal.
var errTooDeep = errors.New("the object is nested too deeply to be stored")

// write appends a change to the journal. Call it before the change takes effect. If load could not
// read the change back, the error wraps errTooDeep.
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
	if !json.Valid(line) { // json.Valid has the same depth limit as load
		return errTooDeep
	}
	n, err := j.file.Write(append(line, '\n'))
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size)) // remove the incomplete line
	}
	j.size += int64(n)
	return nil
}

// shrink rewrites the journal if it has become large.
func (s *store) shrink() error {
	if j := s.journal; j == nil || j.size < 4*j.compact+slack {
		return nil
	}
	return s.compact()
}

// compact rewrites the journal with only the current objects. The file stays complete during
// the call.
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

// end closes and unlocks the journal. It may be called more than once.
func (s *store) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.close() // all changes are already in the file, so an error is harmless
	if j := s.journal; j != nil && j.unlock != nil {
		j.unlock()
		j.unlock = nil
	}
}

// close closes the file. It may be called more than once, and on a nil journal.
func (j *journal) close() error {
	if j == nil || j.file == nil {
		return nil
	}
	file := j.file
	j.file = nil
	return file.Close()
}

// restore starts to serve the resources of the CustomResourceDefinitions in a journal.
func (s *Server) restore() error {
	all, _ := s.store.list(definitionResource, "")
	groups := map[string][]string{}
	for _, object := range all {
		group := text(at(object, "spec", "group"))
		groups[group] = append(groups[group], document.MetaString(object, "name"))
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if err := s.acceptNames(group, groups[group]...); err != nil {
			return fmt.Errorf("%s: %w", s.options.File, err)
		}
	}
	return nil
}
