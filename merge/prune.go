package merge

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/typed"
)

// prune takes out of merged what the applier owned last time, does not apply
// now, and nobody else owns. It returns merged itself if there is nothing to
// take out.
func (s *Updater) prune(merged, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (*typed.TypedValue, error) {
	if last == nil || last.Set().Empty() {
		return merged, nil
	}
	v := s.versions(merged)
	c := v.at(last.APIVersion())
	if c.missing {
		return merged, nil
	}
	if c.err != nil {
		return nil, fmt.Errorf("failed to convert merged object to last applied version: %v", c.err)
	}
	if c.object == merged {
		if pruned, ok := pruneOneVersion(merged, managers, applier, last); ok {
			return emptied(merged, pruned, config, managers, applier), nil
		}
	}
	p := pruner{s, managers, applier, last}
	pruned, err := p.prune(c.object)
	if err != nil {
		return nil, err
	}
	return emptied(merged, pruned, config, managers, applier), nil
}

// emptied decides, with declarative defaults, what becomes of the containers
// that pruning emptied; without, they are null.
func emptied(merged, pruned, config *typed.TypedValue, managers fieldpath.ManagedFields, applier string) *typed.TypedValue {
	n := merged.Node()
	if pruned == merged || !n.Declarative {
		return pruned
	}
	_, before, ok := merged.Plain()
	if !ok {
		return pruned
	}
	var others []*fieldpath.Set
	for manager, owned := range managers {
		if manager != applier && owned.APIVersion() == managers[applier].APIVersion() {
			others = append(others, owned.Set())
		}
	}
	_, after, _ := pruned.Plain()
	_, applied, _ := config.Plain()
	out, _ := engine.Emptied(n, before, after, applied, others)
	return merged.Revised(out)
}

// pruneOneVersion is prune where all managers speak one version. ok is false if
// they do not, or if the outcome takes the long way.
func pruneOneVersion(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last fieldpath.VersionedSet) (pruned *typed.TypedValue, ok bool) {
	for _, owned := range managers {
		if owned.APIVersion() != last.APIVersion() {
			return nil, false
		}
	}
	if merged.AsValue() == nil {
		return nil, false
	}
	full := merged.Knows(engine.Full)
	var gone *fieldpath.Set
	if !nothingGone(merged, managers, applier, last.Set()) {
		n, tree, _ := merged.Plain()
		keep := make([]*fieldpath.Set, 1, len(managers))
		for manager, owned := range managers {
			if manager == applier {
				keep[0] = owned.Set()
			} else {
				keep = append(keep, owned.Set())
			}
		}
		if gone, ok = engine.Prune(n, tree, full, last.Set(), keep); !ok {
			return nil, false
		}
	}
	if gone == nil {
		if merged.Hollow() {
			// Taking nothing away from an object without fields leaves null.
			return merged.Pruned(fieldpath.NewSet()), true
		}
		return merged, true
	}
	return merged.Pruned(gone), true
}

// fewManagers is up to how many managers asking each costs less than looking at the
// object.
const fewManagers = 2

// nothingGone says whether it is known, without the sets of the others, that the
// applier gave nothing up.
func nothingGone(merged *typed.TypedValue, managers fieldpath.ManagedFields, applier string, last *fieldpath.Set) bool {
	n := merged.Node()
	if !engine.Kept(n, merged.Knows(engine.Full), last, managers[applier].Set()) {
		return false
	}
	if n.Declarative {
		return true // items keep their keys whoever owns them
	}
	if len(managers) > fewManagers && merged.Knows(engine.Valid|engine.Unique) {
		if tree, ok := merged.Made(); ok && engine.AllNamed(n, tree, last) {
			return true
		}
	}
	for _, owned := range managers {
		if !familiar(n, last, owned) {
			return false
		}
	}
	return true
}

// pruner prunes in three steps, which is what several versions take: a path of
// one version may be another, or none, in the next.
type pruner struct {
	*Updater
	managers fieldpath.ManagedFields
	applier  string
	last     fieldpath.VersionedSet
}

// prune prunes merged, which is in the version of last, and returns the result
// in the version of the applier.
func (p pruner) prune(merged *typed.TypedValue) (*typed.TypedValue, error) {
	sc, tr := merged.Schema(), merged.TypeRef()
	pruned := giveUp(merged, p.last.Set().EnsureNamedFieldsAreMembers(sc, tr))
	pruned, err := p.putBackOwned(merged, pruned)
	if err != nil {
		return nil, fmt.Errorf("failed add back owned items: %v", err)
	}
	pruned, err = p.putBackOthers(merged, pruned)
	if err != nil {
		return nil, fmt.Errorf("failed add back dangling items: %v", err)
	}
	return p.Converter.Convert(pruned, p.managers[p.applier].APIVersion())
}

// putBackOwned puts back what somebody owns in some version. The version of
// last comes first, since a conversion may need fields that are gone by now.
func (p pruner) putBackOwned(merged, pruned *typed.TypedValue) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, m := range p.managers {
		if set, ok := owned[m.APIVersion()]; ok {
			owned[m.APIVersion()] = set.Union(m.Set())
		} else {
			owned[m.APIVersion()] = m.Set()
		}
	}
	for _, version := range versionsFrom(p.last.APIVersion(), owned) {
		var err error
		merged, pruned, err = p.putBackAt(merged, pruned, version, owned[version])
		if err != nil {
			return nil, err
		}
	}
	return pruned, nil
}

// putBackAt puts back what is owned in one version. Where the object cannot be
// had in that version, nothing changes.
func (p pruner) putBackAt(merged, pruned *typed.TypedValue, version fieldpath.APIVersion, owned *fieldpath.Set) (*typed.TypedValue, *typed.TypedValue, error) {
	whole, err := p.Converter.Convert(merged, version)
	if err != nil {
		if p.Converter.IsMissingVersionError(err) {
			return merged, pruned, nil
		}
		return nil, nil, fmt.Errorf("failed to convert merged object at version %v: %v", version, err)
	}
	rest, err := p.Converter.Convert(pruned, version)
	if err != nil {
		if p.Converter.IsMissingVersionError(err) {
			return merged, pruned, nil
		}
		return nil, nil, fmt.Errorf("failed to convert pruned object at version %v: %v", version, err)
	}
	wholeSet, err := whole.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from merged object at version %v: %v", version, err)
	}
	restSet, err := rest.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create field set from pruned object at version %v: %v", version, err)
	}
	sc, tr := whole.Schema(), whole.TypeRef()
	stays := restSet.EnsureNamedFieldsAreMembers(sc, tr).Union(owned.EnsureNamedFieldsAreMembers(sc, tr))
	return whole, giveUp(whole, wholeSet.EnsureNamedFieldsAreMembers(sc, tr).Difference(stays)), nil
}

// putBackOthers puts back what the applier did not own last time: only what it
// gave up itself may go.
func (p pruner) putBackOthers(merged, pruned *typed.TypedValue) (*typed.TypedValue, error) {
	pruned, err := p.Converter.Convert(pruned, p.last.APIVersion())
	if err != nil {
		if p.Converter.IsMissingVersionError(err) {
			return merged, nil
		}
		return nil, fmt.Errorf("failed to convert pruned object to last applied version: %v", err)
	}
	rest, err := pruned.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from pruned object in last applied version: %v", err)
	}
	whole, err := merged.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to create field set from merged object in last applied version: %v", err)
	}
	sc, tr := merged.Schema(), merged.TypeRef()
	rest, whole = rest.EnsureNamedFieldsAreMembers(sc, tr), whole.EnsureNamedFieldsAreMembers(sc, tr)
	last := p.last.Set().EnsureNamedFieldsAreMembers(sc, tr)
	return giveUp(merged, whole.Difference(rest).Intersection(last)), nil
}

// giveUp takes set from object in one of the three steps.
func giveUp(object *typed.TypedValue, set *fieldpath.Set) *typed.TypedValue {
	if object.Node().Declarative {
		return object.Pruned(set)
	}
	return object.RemoveItems(set)
}
