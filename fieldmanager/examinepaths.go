package fieldmanager

import (
	"iter"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// paths brings the paths of the entries up to date and takes out those that
// lead nowhere.
func (x *examination) paths() error {
	apiVersion, kind := typeOf(x.live)
	t, err := x.m.typeFor(apiVersion, kind)
	if err != nil {
		return err
	}
	for i := range x.entries {
		e := &x.entries[i]
		if set := x.m.today(&e.Entry, x.plain, t); !set.Equals(e.Set) {
			x.outdated(e, set)
			e.Set = set
		}
	}
	managed, err := x.managed()
	if err != nil {
		return err
	}
	b, err := x.m.Blame(managed.Into(x.plain))
	if err != nil {
		return err
	}
	lost := make([][]fieldpath.Path, len(x.entries))
	for _, c := range b.Lost {
		at := x.find(b.Entries[c.Entry].Owner)
		lost[at] = append(lost[at], c.Path)
	}
	var dead []int
	for i, paths := range lost {
		e := &x.entries[i]
		if x.m.differ(x.plain, e.APIVersion, apiVersion) != nil {
			continue // what is lost here may have another name there
		}
		left := e.Set.RecursiveDifference(fieldpath.NewSet(paths...))
		if left.Empty() {
			what := "nothing of what it owns is in the object"
			if e.Set.Empty() {
				what = "it owns nothing"
			}
			x.found(DeadManager, e, nil, "left out", "%s", what)
			dead = append(dead, i)
			continue
		}
		if e.Operation == OperationApply {
			continue // it may have been applied as null
		}
		for _, path := range paths {
			x.found(LostPath, e, path, "left out", "owned, but not in the object")
		}
		e.Set = left
	}
	for _, i := range slices.Backward(dead) {
		x.entries = slices.Delete(x.entries, i, i+1)
	}
	return nil
}

// outdated notes what of an entry reads otherwise by the schema of today.
func (x *examination) outdated(e *examinedEntry, today *fieldpath.Set) {
	gone, come := e.Set.Difference(today), today.Difference(e.Set)
	seen := fieldpath.NewSet()
	for path := range gone.All() {
		old, now, isKey := rekeyed(path, come)
		if !isKey {
			now = longestIn(path, come)
			if now == nil {
				old, now = path, path
			} else {
				old = path[:len(now)+1]
			}
		}
		if old = old.Copy(); seen.Has(old) {
			continue
		}
		seen.Insert(old)
		if isKey {
			x.found(MissingKeyDefault, e, old, "now "+now.String(), "names an item without a key that has a default: it means %s", now)
		} else {
			x.found(OutdatedPath, e, old, "now "+now.String(), "is part of what the schema has as one whole by now: it means %s", now)
		}
	}
}

// rekeyed finds the path in come that is path with more or other keys; both are cut
// behind the item.
func rekeyed(path fieldpath.Path, come *fieldpath.Set) (old, now fieldpath.Path, ok bool) {
	set := come
	for i, element := range path {
		if element.Key != nil && !set.Members.Has(element) {
			if _, has := set.Children.Get(element); !has {
				for other := range both(set) {
					if other.Key != nil && sameKeys(element, other) {
						return path[:i+1], append(path[:i:i], other), true
					}
				}
			}
		}
		next, has := set.Children.Get(element)
		if !has {
			return nil, nil, false
		}
		set = next
	}
	return nil, nil, false
}

// both yields the elements of a set that are members, then those that lead on.
func both(s *fieldpath.Set) iter.Seq[fieldpath.PathElement] {
	return func(yield func(fieldpath.PathElement) bool) {
		for e := range s.Members.All() {
			if !yield(e) {
				return
			}
		}
		for e := range s.Children.All() {
			if !yield(e) {
				return
			}
		}
	}
}

// sameKeys tells whether now has all keys that old has a value for.
func sameKeys(old, now fieldpath.PathElement) bool {
	for _, k := range *old.Key {
		if k.Value.IsNull() {
			continue
		}
		same := slices.ContainsFunc(*now.Key, func(n value.Field) bool {
			return n.Name == k.Name && value.Equals(n.Value, k.Value)
		})
		if !same {
			return false
		}
	}
	return true
}

// longestIn is the longest beginning of path that is in set, nil if there is none.
func longestIn(path fieldpath.Path, set *fieldpath.Set) fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		if set.Has(path[:n]) {
			return path[:n]
		}
	}
	return nil
}
