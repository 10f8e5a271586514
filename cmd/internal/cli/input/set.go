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

// Set are the objects in the files of a flag. Few are read at once and held; of many one is
// held at a time, and read again when it is needed again.
type Set struct {
	r     *command.Run
	files Files
	list  []*file
	// errs are what is wrong with the directories.
	errs manifest.Errors
	size int64
	// held returns the objects of a small set, and how many they are.
	held func() ([]*batch, int)
}

// file is a file of a set.
type file struct {
	name   string
	kept   *spool.Kept // standard input, a pipe, or a file that is held
	handle *os.File
	stream *manifest.Stream
	size   int64
	// err says why it cannot be read.
	err error
}

// maxHeld is how many bytes of files are read at once, all of a flag together.
var maxHeld int64 = 1 << 20

// HoldAtMost sets how many bytes of files are read at once, for tests, and returns what sets it
// back.
func HoldAtMost(n int64) (back func()) {
	was := maxHeld
	maxHeld = n
	return func() { maxHeld = was }
}

// Open opens the files. What is wrong with one is found when its objects are read; err is
// about the command line.
func Open(r *command.Run, f Files) (*Set, error) {
	s := &Set{r: r, files: f}
	s.held = sync.OnceValues(s.hold)
	names, errs := f.All()
	s.errs = errs
	for _, n := range names {
		in, err := s.open(n)
		if _, about := Errors(err); err != nil && !about {
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

// Of is a set of objects that are at hand; f is what messages say of where they are from.
func Of(r *command.Run, f Files, objects []*manifest.Object) *Set {
	s := &Set{r: r, files: f}
	s.held = sync.OnceValues(func() (all []*batch, n int) {
		for _, o := range objects {
			all = append(all, &batch{held: true, objects: []*manifest.Object{o}})
		}
		return all, len(objects)
	})
	return s
}

// open opens a file; nil if it is passed over.
func (s *Set) open(n namedFile) (*file, error) {
	in, shown, err := open(s.r, s.files.Flag, n.Name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // it is read, or opened again
	f := &file{name: shown}
	if handle, ok := in.(*os.File); ok {
		if info, err := handle.Stat(); err == nil && info.Mode().IsRegular() {
			f.size = info.Size()
		}
	}
	if f.size == 0 { // or that of a file that is not regular
		if f.kept, err = spool.Keep(in, maxHeld); err != nil {
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
			PassOver(s.r, shown, "it is for kustomize")
			f.close()
			return nil, nil
		}
	}
	f.stream = manifest.NewStream(shown, f, f.size)
	return f, nil
}

// maxOpen is how many files of a set stay open; others are opened whenever they are read.
const maxOpen = 64

// ReadAt reads the file.
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
	defer in.Close() // read only
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
		_ = f.kept.Close() // it was only read
	}
	if f.handle != nil {
		_ = f.handle.Close() // it was only read
	}
}

// Close closes the files.
func (s *Set) Close() {
	for _, f := range s.list {
		f.close()
	}
}

// small says whether the set is read at once.
func (s *Set) small() bool { return s.size <= maxHeld }

// Len is how many objects there are, 0 if that is not known before all are read.
func (s *Set) Len() int {
	if !s.small() {
		return 0
	}
	_, n := s.held()
	return n
}

// hold reads all objects.
func (s *Set) hold() (all []*batch, n int) {
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
			all = append(all, &batch{held: true, objects: []*manifest.Object{o}})
		}
		if errs, _ := Errors(err); len(errs) > 0 {
			all = append(all, &batch{held: true, errs: errs})
		}
	}
	return all, n
}

// A batch is some objects of a set.
type batch struct {
	file *file
	part manifest.Part
	// objects are held, with what is wrong beside them; of a part they are read.
	objects []*manifest.Object
	errs    manifest.Errors
	err     error
	held    bool
}

func (b *batch) size() int64 {
	if b.held {
		return 0
	}
	return b.part.Size()
}

// read returns the objects.
func (b *batch) read() ([]*manifest.Object, manifest.Errors, error) {
	if b.held || b.err != nil {
		return b.objects, b.errs, b.err
	}
	objects, err := b.file.stream.Read(&b.part)
	var errs manifest.Errors
	if err != nil && !errors.As(err, &errs) {
		return nil, manifest.Errors{FileError(b.file.name, err)}, nil
	}
	return objects, errs, nil
}

// batches ranges over all objects, in order.
func (s *Set) batches() iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		if len(s.errs) > 0 && !yield(&batch{held: true, errs: s.errs}) {
			return
		}
		if s.small() {
			all, _ := s.held()
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
		return yield(&batch{held: true, errs: errs})
	}
	for part, err := range f.stream.Parts() {
		b := &batch{file: f, part: part}
		if err != nil {
			errs, ok := Errors(err)
			if !ok {
				errs = manifest.Errors{FileError(f.name, err)}
			}
			b = &batch{held: true, errs: errs}
		}
		if !yield(b) {
			return false
		}
	}
	return true
}

// Each goes through the objects, in order, and returns what is wrong with the files.
func (s *Set) Each(do func(*manifest.Object)) (errs manifest.Errors, err error) {
	return Work(s, func(o *manifest.Object) *manifest.Object { return o }, do)
}

// Work does work for each object, several at a time, and then something with what came of it,
// one after the other in the order of the files. It returns what is wrong with these.
func Work[T any](s *Set, work func(*manifest.Object) T, then func(T)) (errs manifest.Errors, err error) {
	return workOn(s, func(_ *batch, _ int, o *manifest.Object) T { return work(o) }, then)
}

// workOn is Work that knows where an object is.
func workOn[T any](s *Set, work func(*batch, int, *manifest.Object) T, then func(T)) (errs manifest.Errors, err error) {
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
			then(v)
		}
		errs = append(errs, d.errs...)
	}
	return errs, nil
}

// Of ranges over the objects of which a part of their text says so, such as the name of their
// kind; others may be among them.
func (s *Set) Of(text string) iter.Seq[*manifest.Object] {
	return func(yield func(*manifest.Object) bool) {
		for b := range s.batches() {
			if !b.held && !b.file.stream.Contains(&b.part, text) {
				continue
			}
			objects, _, _ := b.read() // what is wrong is found by those who read all
			s.r.Masks.HideIn(objects)
			for _, o := range objects {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// NothingIn says that there are no objects in the set, which was read.
func (s *Set) NothingIn() error {
	s.noteLists()
	return NothingIn(s.files)
}

// noteLists notes which files of a set without objects are Lists.
func (s *Set) noteLists() {
	for _, f := range s.list {
		if f.err != nil || f.size > manifest.MaxSize || s.files.lists == nil {
			continue
		}
		if data, err := f.all(); err == nil && hasMapping(f.name, data) {
			*s.files.lists = append(*s.files.lists, f.name)
		}
	}
}

// A Ref is an object of a set, by what it is known by and where it stands.
type Ref struct {
	set    *Set
	id     manifest.Identity
	object *manifest.Object // if it is held
	// namespace is where it is put, "" if it is where it says.
	namespace string
	batch     *batch
	index     int
}

// Held is an object that is at hand.
func Held(o *manifest.Object) *Ref { return &Ref{id: o.Identity(), object: o} }

// In is the object in a namespace, if it names none.
func (x *Ref) In(namespace string) *Ref {
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

// Identity is what the object is known by.
func (x *Ref) Identity() manifest.Identity { return x.id }

// Start is where it begins, which is found when somebody asks.
func (x *Ref) Start() manifest.Position {
	o, err := x.Object()
	if err != nil {
		return manifest.Position{File: err.File}
	}
	return o.Start()
}

// Size is how many bytes are read for it.
func (x *Ref) Size() int64 {
	if x.object != nil {
		return 0
	}
	return x.batch.size()
}

// Errorf returns an error about a place in the object.
func (x *Ref) Errorf(path, format string, args ...any) *manifest.Error {
	o, err := x.Object()
	if err != nil {
		return err
	}
	return o.Errorf(path, format, args...)
}

// Object is the object, which is read if it is not held.
func (x *Ref) Object() (*manifest.Object, *manifest.Error) {
	if x == nil || x.object != nil {
		return x.held(), nil
	}
	objects, errs, _ := x.batch.read()
	if len(errs) > 0 || x.index >= len(objects) || objects[x.index].InNamespace(x.namespace).Identity() != x.id {
		return nil, &manifest.Error{File: x.batch.file.name, Message: fmt.Sprintf("%v is there no more: the file was changed while it was read", x.id)}
	}
	o := objects[x.index].InNamespace(x.namespace)
	o.Content = x.set.r.Masks.Hide(o.Content)
	return o, nil
}

func (x *Ref) held() *manifest.Object {
	if x == nil {
		return nil
	}
	return x.object
}

// Index returns where all objects are, and what is wrong with the files.
func (s *Set) Index() (refs []*Ref, errs manifest.Errors, err error) {
	small, names := s.small(), map[string]string{}
	one := func(text string) string {
		known, ok := names[text]
		if !ok {
			known = strings.Clone(text)
			names[known] = known
		}
		return known
	}
	errs, err = workOn(s, func(b *batch, i int, o *manifest.Object) *Ref {
		x := &Ref{set: s, id: o.Identity(), batch: b, index: i}
		if small {
			x.object = o
		}
		return x
	}, func(x *Ref) {
		// What is kept of an object must not keep its text.
		x.id = manifest.Identity{APIVersion: one(x.id.APIVersion), Kind: one(x.id.Kind), Namespace: one(x.id.Namespace), Name: strings.Clone(x.id.Name)}
		refs = append(refs, x)
	})
	return refs, errs, err
}
