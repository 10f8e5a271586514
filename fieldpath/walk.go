package fieldpath

import "iter"

// Iterate calls f for each path. At every level the members come first, then
// what is below the children. The path is reused: copy it to keep it.
func (s *Set) Iterate(f func(Path)) {
	s.walk(func(p Path) bool {
		f(p)
		return true
	})
}

// All returns the paths in the order of Iterate, reusing the path likewise.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		s.walk(yield)
	}
}

func (s *Set) walk(yield func(Path) bool) {
	w := walk{yield: yield, own: true}
	w.room.coming = 8
	w.set(make(Path, 0, 6), s)
}

// walk calls yield for paths until it returns false.
type walk struct {
	yield func(Path) bool

	// own gives paths of up to ownPath elements memory of their own. Upstream
	// does not reuse such short ones either, and callers came to keep them
	// without copying; tests of apimachinery do.
	own  bool
	room slab[PathElement]
}

const ownPath = 3

// set goes on with the paths of s, which is at prefix. It overwrites what is
// behind prefix, and returns it, perhaps with more capacity, and whether to go
// on.
func (w *walk) set(prefix Path, s *Set) (Path, bool) {
	n := len(prefix)
	for i := range s.Members.members {
		prefix = append(prefix[:n], s.Members.members[i])
		p := prefix
		if w.own && n < ownPath {
			p = w.room.take(n + 1)
			copy(p, prefix)
		}
		if !w.yield(p) {
			return prefix, false
		}
	}
	for i := range s.Children.members {
		node := &s.Children.members[i]
		var more bool
		prefix, more = w.set(append(prefix[:n], node.PathElement), node.Set)
		if !more {
			return prefix, false
		}
	}
	return prefix, true
}
