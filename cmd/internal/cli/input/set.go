// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Set contains the objects in the files of a flag. A small set is read once and stays in memory. A
// large set is read in batches, and read again each time its objects are needed.
type Set struct {
	r     *command.Run
	files Files
	list  []*file
	// errs holds errors about directories.
	errs manifest.Errors
	size int64
	// load returns the batches of a small set, and the number of objects in them. Only the first
	// call reads the files.
	load func() ([]*batch, int)
}

// file is a file of a set.
type file struct {
	name   string
	kept   *spool.Kept // a copy of the content, if the input is standard input or a pipe
	handle *os.File
	stream *manifest.Stream
	size   int64
	// err explains why the file cannot be read. It is nil if the file can be read.
	err error
}

// maxInMemory is the maximum size, in bytes, of a set that is kept in memory.
var maxInMemory int64 = 1 << 20

// SetMaxInMemory sets maxInMemory for tests. It returns a function that restores the previous
// value.
func SetMaxInMemory(n int64) (restore func()) {
	previous := maxInMemory
	maxInMemory = n
	return func() { maxInMemory = previous }
}

// Open opens the files. It returns only errors about the command line. Errors about files are
// returned when the objects are read. The caller must call Close.
func Open(r *command.Run, f Files) (*Set, error) {
	s := &Set{r: r, files: f}
	s.load = sync.OnceValues(s.readAll)
	names, errs := f.All(r)
	s.errs = errs
	for _, n := range names {
		in, err := s.open(n)
		if _, ok := Errors(err); err != nil && !ok {
			s.Close()
			return nil, err
		}
		if err != nil {
			in = &file{name: n.Name, err: err}
		}
		if in != nil {
			s.list = append(s.list, in)
			s.size += in.size
		}
	}
	return s, nil
}

// FromObjects returns a set of objects that are in memory. f names their source in messages.
func FromObjects(r *command.Run, f Files, objects []*manifest.Object) *Set {
	s := &Set{r: r, files: f}
	s.load = sync.OnceValues(func() (all []*batch, n int) {
		for _, o := range objects {
			all = append(all, &batch{inMemory: true, objects: []*manifest.Object{o}})
		}
		return all, len(objects)
	})
	return s
}

// open opens a file for a set. It returns nil for a file to skip: a kustomization in a directory.
func (s *Set) open(n namedFile) (*file, error) {
	in, shown, err := open(s.r, s.files.Flag, n.Name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // the file is copied, or opened again, below
	f := &file{name: shown}
	if handle, ok := in.(*os.File); ok {
		if info, err := handle.Stat(); err == nil && info.Mode().IsRegular() {
			f.size = info.Size()
		}
	}
	if f.size == 0 { // standard input, a pipe or an empty file
		if f.kept, err = spool.Keep(in, maxInMemory); err != nil {
			return nil, FileError(n.Name, err)
		}
		f.size = f.kept.Size
	} else if len(s.list) < maxOpen {
		if f.handle, err = os.Open(n.Name); err != nil {
			return nil, FileError(n.Name, err)
		}
	}
	if n.Listed && strings.HasPrefix(filepath.Base(shown), "kustomization.") && f.size <= manifest.MaxSize {
		if data, err := f.all(); err == nil && IsKustomization(shown, data) {
			NoteKustomization(s.r, shown)
			f.close()
			return nil, nil
		}
	}
	f.stream = manifest.NewStream(shown, f, f.size)
	return f, nil
}

// maxOpen is the number of files that a set keeps open. Other files are opened for each read.
const maxOpen = 64

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (int, error) {
	switch {
	case f.kept != nil:
		return f.kept.ReadAt(p, at)
	case f.handle != nil:
		return f.handle.ReadAt(p, at)
	}
	in, err := os.Open(f.name)
	if err != nil {
		return 0, err
	}
	defer in.Close() // the file is only read
	return in.ReadAt(p, at)
}

func (f *file) all() ([]byte, error) {
	data := make([]byte, f.size)
	_, err := io.ReadFull(io.NewSectionReader(f, 0, f.size), data)
	if err != nil {
		return nil, FileError(f.name, err)
	}
	return data, nil
}

func (f *file) close() {
	if f.kept != nil {
		_ = f.kept.Close() // the file was only read
	}
	if f.handle != nil {
		_ = f.handle.Close() // the file was only read
	}
}

// Close closes the files.
func (s *Set) Close() {
	for _, f := range s.list {
		f.close()
	}
}

// small reports whether the set is kept in memory.
func (s *Set) small() bool { return s.size <= maxInMemory }

// Len returns the number of objects. It returns 0 for a large set, because the number is
// unknown.
func (s *Set) Len() int {
	if !s.small() {
		return 0
	}
	_, n := s.load()
	return n
}

// readAll reads all objects of a small set.
func (s *Set) readAll() (all []*batch, n int) {
	for _, f := range s.list {
		var objects []*manifest.Object
		data, err := []byte(nil), f.err
		if err == nil {
			data, err = f.all()
		}
		if err == nil {
			objects, err = manifest.Read(f.name, data)
		}
		n += len(objects)
		for _, o := range objects {
			all = append(all, &batch{inMemory: true, objects: []*manifest.Object{o}})
		}
		if errs, _ := Errors(err); len(errs) > 0 {
			all = append(all, &batch{inMemory: true, errs: errs})
		}
	}
	return all, n
}

// A batch holds consecutive objects of a set. If inMemory is set, the batch contains the objects,
// and the errors that occurred when they were read. If inMemory is not set, the method read reads
// the objects from a part of the file.
type batch struct {
	file     *file
	part     manifest.Part
	objects  []*manifest.Object
	errs     manifest.Errors
	err      error
	inMemory bool
}

func (b *batch) size() int64 {
	if b.inMemory {
		return 0
	}
	return b.part.Size()
}

// read returns the objects of the batch, and errors about the file. Each call returns copies, so
// the caller may mask them, even if another goroutine reads the same batch.
func (b *batch) read() ([]*manifest.Object, manifest.Errors, error) {
	if b.inMemory || b.err != nil {
		objects := make([]*manifest.Object, len(b.objects))
		for i, o := range b.objects {
			c := *o
			objects[i] = &c
		}
		return objects, b.errs, b.err
	}
	objects, err := b.file.stream.Read(&b.part)
	var errs manifest.Errors
	if err != nil && !errors.As(err, &errs) {
		return nil, manifest.Errors{FileError(b.file.name, err)}, nil
	}
	return objects, errs, nil
}

// batches returns all batches in order.
func (s *Set) batches() iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		if len(s.errs) > 0 && !yield(&batch{inMemory: true, errs: s.errs}) {
			return
		}
		if s.small() {
			all, _ := s.load()
			for _, b := range all {
				if !yield(b) {
					return
				}
			}
			return
		}
		for _, f := range s.list {
			if !s.batchesOf(f, yield) {
				return
			}
		}
	}
}

func (s *Set) batchesOf(f *file, yield func(*batch) bool) bool {
	if f.err != nil {
		errs, _ := Errors(f.err)
		return yield(&batch{inMemory: true, errs: errs})
	}
	for part, err := range f.stream.Parts() {
		b := &batch{file: f, part: part}
		if err != nil {
			errs, ok := Errors(err)
			if !ok {
				errs = manifest.Errors{FileError(f.name, err)}
			}
			b = &batch{inMemory: true, errs: errs}
		}
		if !yield(b) {
			return false
		}
	}
	return true
}

// Each calls do for each object, in order. The returned errs are errors about files.
func (s *Set) Each(do func(*manifest.Object)) (errs manifest.Errors, err error) {
	return Work(s, func(o *manifest.Object) *manifest.Object { return o }, do)
}

// Work calls work for several objects at a time, and passes the results to handle in the order of
// the objects. The returned errs are errors about files.
func Work[T any](s *Set, work func(*manifest.Object) T, handle func(T)) (errs manifest.Errors, err error) {
	return workWithIndex(s, func(_ *batch, _ int, o *manifest.Object) T { return work(o) }, handle)
}

// workWithIndex is like Work, but also passes the batch that contains the object, and the index of
// the object in this batch.
func workWithIndex[T any](s *Set, work func(*batch, int, *manifest.Object) T, handle func(T)) (errs manifest.Errors, err error) {
	type done struct {
		all  []T
		errs manifest.Errors
		err  error
	}
	for d := range command.InOrder(s.batches(), (*batch).size, func(turn *command.Turn, b *batch) (d done) {
		var objects []*manifest.Object
		objects, d.errs, d.err = b.read()
		turn.Take(func() { s.r.Masks.HideIn(objects) })
		for i, o := range objects {
			d.all = append(d.all, work(b, i, o))
		}
		return d
	}) {
		if d.err != nil {
			return nil, d.err
		}
		for _, v := range d.all {
			handle(v)
		}
		errs = append(errs, d.errs...)
	}
	return errs, nil
}

// Containing returns the objects for which want returns true. To save time, it parses only the
// sections of files that contain the argument text. For an object without this text, want must
// return false. Containing skips objects that it cannot read. It masks only the objects that it
// returns, so that masks are numbered in the order of the files.
func (s *Set) Containing(text string, want func(*manifest.Object) bool) iter.Seq[*manifest.Object] {
	return func(yield func(*manifest.Object) bool) {
		for b := range s.batches() {
			if !b.inMemory && !b.file.stream.Contains(&b.part, text) {
				continue
			}
			objects, _, _ := b.read() // Each and Work report these errors
			for _, o := range objects {
				if !want(o) {
					continue
				}
				s.r.Masks.HideIn([]*manifest.Object{o})
				if !yield(o) {
					return
				}
			}
		}
	}
}

// NoteNoObjects adds a note that there are no objects in the set.
func (s *Set) NoteNoObjects() { NoteNoObjects(s.r, s.files) }

// A Ref refers to an object of a set. It contains the identity of the object, and the method
// Object reads the object itself.
type Ref struct {
	set    *Set
	id     manifest.Identity
	object *manifest.Object // nil if the object is not in memory
	// namespace is the namespace that WithNamespace has set, or "".
	namespace string
	batch     *batch
	index     int
}

// RefTo returns a Ref to an object that is in memory.
func RefTo(o *manifest.Object) *Ref { return &Ref{id: o.Identity(), object: o} }

// WithNamespace returns a Ref to the same object in the given namespace. If the object already
// contains a namespace, WithNamespace returns x unchanged.
func (x *Ref) WithNamespace(namespace string) *Ref {
	if namespace == "" || x.id.Namespace != "" {
		return x
	}
	in := *x
	in.namespace, in.id.Namespace = namespace, namespace
	if in.object != nil {
		in.object = in.object.InNamespace(namespace)
	}
	return &in
}

// Identity returns the identity of the object without reading the object.
func (x *Ref) Identity() manifest.Identity { return x.id }

// Start returns the position of the object in its file. It may have to read the object.
func (x *Ref) Start() manifest.Position {
	o, err := x.Object()
	if err != nil {
		return manifest.Position{File: err.File}
	}
	return o.Start()
}

// Size returns the number of bytes that the method Object reads. It is 0 if the object is in
// memory.
func (x *Ref) Size() int64 {
	if x.object != nil {
		return 0
	}
	return x.batch.size()
}

// Errorf returns an error about a path of the object. If the object cannot be read, it returns
// that error instead.
func (x *Ref) Errorf(path, format string, args ...any) *manifest.Error {
	o, err := x.Object()
	if err != nil {
		return err
	}
	return o.Errorf(path, format, args...)
}

// Object returns the object. If the object is not in memory, Object reads it from its file. If
// the file has changed since the Ref was made, Object returns an error. If x is nil, Object
// returns nil.
func (x *Ref) Object() (*manifest.Object, *manifest.Error) {
	if x == nil {
		return nil, nil
	}
	if x.object != nil {
		return x.object, nil
	}
	objects, errs, _ := x.batch.read()
	if len(errs) > 0 || x.index >= len(objects) || objects[x.index].InNamespace(x.namespace).Identity() != x.id {
		return nil, &manifest.Error{File: x.batch.file.name, Message: fmt.Sprintf("%v is no longer in the file: the file changed while dovetail was reading it", x.id)}
	}
	o := objects[x.index].InNamespace(x.namespace)
	o.Content = x.set.r.Masks.Hide(o.Content)
	return o, nil
}

// Index returns Refs to all objects in order. errs holds errors about files.
func (s *Set) Index() (refs []*Ref, errs manifest.Errors, err error) {
	small, names := s.small(), map[string]string{}
	intern := func(text string) string {
		known, ok := names[text]
		if !ok {
			known = strings.Clone(text)
			names[known] = known
		}
		return known
	}
	errs, err = workWithIndex(s, func(b *batch, i int, o *manifest.Object) *Ref {
		x := &Ref{set: s, id: o.Identity(), batch: b, index: i}
		if small {
			x.object = o
		}
		return x
	}, func(x *Ref) {
		// Copy the strings of the identity. If they were not copied, they would keep the text of
		// the whole file in memory.
		x.id = manifest.Identity{APIVersion: intern(x.id.APIVersion), Kind: intern(x.id.Kind), Namespace: intern(x.id.Namespace), Name: strings.Clone(x.id.Name)}
		refs = append(refs, x)
	})
	return refs, errs, err
}
