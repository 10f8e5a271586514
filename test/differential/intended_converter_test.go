// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"errors"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
	upath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	umerge "sigs.k8s.io/structured-merge-diff/v6/merge"
	utyped "sigs.k8s.io/structured-merge-diff/v6/typed"
)

// These tests are like those in intended_test.go, for Converters.

// conversions is a Converter of both engines. It returns objects unchanged, or fails.
type conversions struct {
	calls int
	// fails reports whether the conversion of an object to a version fails.
	fails func(version string, object any) bool
}

var errConversion = errors.New("the conversion fails")

func (c *conversions) call(version string, object any) error {
	c.calls++
	if c.fails != nil && c.fails(version, object) {
		return errConversion
	}
	return nil
}

type ourConverter struct{ *conversions }

func (c ourConverter) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, c.call(string(version), o.AsValue().Unstructured())
}

func (ourConverter) IsMissingVersionError(error) bool { return false }

type theirConverter struct{ *conversions }

func (c theirConverter) Convert(o *utyped.TypedValue, version upath.APIVersion) (*utyped.TypedValue, error) {
	return o, c.call(string(version), o.AsValue().Unstructured())
}

func (theirConverter) IsMissingVersionError(error) bool { return false }

// converted is an object of two managers. The manager web owns a and b in the version last, and
// ops owns c in the version other. web writes a and d in the version now.
type converted struct{ now, last, other string }

// withFields returns a new object with the given fields.
func withFields(names ...string) map[string]any {
	object := map[string]any{}
	for _, name := range names {
		object[name] = "x"
	}
	return object
}

func liveFields() map[string]any    { return withFields("a", "b", "c") }
func appliedFields() map[string]any { return withFields("a", "d") }
func updatedFields() map[string]any { return withFields("a", "c", "d") }

func (o converted) ours(t *testing.T, c *conversions, update bool) error {
	object := func(data map[string]any) *typed.TypedValue {
		v, err := typed.DeducedParseableType.FromUnstructured(data)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	set := func(version string, applied bool, names ...string) fieldpath.VersionedSet {
		s := fieldpath.NewSet()
		for _, name := range names {
			s.Insert(fieldpath.MakePathOrDie(name))
		}
		return fieldpath.NewVersionedSet(s, fieldpath.APIVersion(version), applied)
	}
	managers := fieldpath.ManagedFields{"ops": set(o.other, true, "c")}
	if o.last != "" {
		managers["web"] = set(o.last, !update, "a", "b")
	}
	u := (&merge.UpdaterBuilder{Converter: ourConverter{c}}).BuildUpdater()
	if update {
		_, _, err := u.Update(object(liveFields()), object(updatedFields()), fieldpath.APIVersion(o.now), managers, "web")
		return err
	}
	_, _, err := u.Apply(object(liveFields()), object(appliedFields()), fieldpath.APIVersion(o.now), managers, "web", false)
	return err
}

func (o converted) theirs(t *testing.T, c *conversions, update bool) error {
	object := func(data map[string]any) *utyped.TypedValue {
		v, err := utyped.DeducedParseableType.FromUnstructured(data)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	set := func(version string, applied bool, names ...string) upath.VersionedSet {
		s := upath.NewSet()
		for _, name := range names {
			s.Insert(upath.MakePathOrDie(name))
		}
		return upath.NewVersionedSet(s, upath.APIVersion(version), applied)
	}
	managers := upath.ManagedFields{"ops": set(o.other, true, "c")}
	if o.last != "" {
		managers["web"] = set(o.last, !update, "a", "b")
	}
	u := (&umerge.UpdaterBuilder{Converter: theirConverter{c}}).BuildUpdater()
	if update {
		_, _, err := u.Update(object(liveFields()), object(updatedFields()), upath.APIVersion(o.now), managers, "web")
		return err
	}
	_, _, err := u.Apply(object(liveFields()), object(appliedFields()), upath.APIVersion(o.now), managers, "web", false)
	return err
}

// TestConverterErrors makes a Converter fail (converter-errors in DIFFERENCES.md). Both engines
// return the same text. Only Dovetail always wraps the error of the Converter.
func TestConverterErrors(t *testing.T) {
	has := func(object any, name string) bool { _, ok := object.(map[string]any)[name]; return ok }
	for _, tc := range []struct {
		name   string
		object converted
		update bool
		fails  func(version string, object any) bool
		text   string
		theirs bool // whether structured-merge-diff returns an error that wraps that of the Converter
	}{
		{"live object", converted{"v1", "", "v2"}, false,
			func(version string, _ any) bool { return version == "v2" },
			"", true},
		{"new object of an apply", converted{"v1", "", "v2"}, false,
			func(version string, object any) bool { return version == "v2" && has(object, "d") },
			"failed to convert new object: ", false},
		{"new object of an update", converted{"v1", "v1", "v2"}, true,
			func(version string, object any) bool { return version == "v2" && has(object, "d") },
			"failed to convert new object: ", false},
		{"last version", converted{"v1", "v1", "v2"}, false,
			func(version string, object any) bool { return version == "v1" && has(object, "d") },
			"failed to prune fields: failed to convert merged object to last applied version: ", false},
		{"version of another manager", converted{"v1", "v1", "v2"}, false,
			func(version string, object any) bool { return version == "v2" && has(object, "d") },
			"failed to prune fields: failed add back owned items: failed to convert merged object at version v2: ", false},
		{"object without the fields that web gives up", converted{"v1", "v1", "v2"}, false,
			func(version string, object any) bool { return version == "v2" && !has(object, "b") },
			"failed to prune fields: failed add back owned items: failed to convert pruned object at version v2: ", false},
		{"the same object in the last version", converted{"v2", "v1", "v2"}, false,
			func(version string, object any) bool { return version == "v1" && !has(object, "b") },
			"failed to prune fields: failed add back dangling items: failed to convert pruned object to last applied version: ", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.text + errConversion.Error()
			theirs := tc.object.theirs(t, &conversions{fails: tc.fails}, tc.update)
			if theirs == nil || theirs.Error() != want || errors.Is(theirs, errConversion) != tc.theirs {
				t.Errorf("structured-merge-diff has changed: the error is %v, want %s; it wraps that of the Converter: %v",
					theirs, want, errors.Is(theirs, errConversion))
			}
			ours := tc.object.ours(t, &conversions{fails: tc.fails}, tc.update)
			if ours == nil || ours.Error() != want || !errors.Is(ours, errConversion) {
				t.Errorf("the error is %v, want %s; it wraps that of the Converter: %v", ours, want, errors.Is(ours, errConversion))
			}
		})
	}
}

// TestConverterCalls counts the calls of a Converter (converter-calls in DIFFERENCES.md).
func TestConverterCalls(t *testing.T) {
	for _, tc := range []struct {
		name         string
		object       converted
		update       bool
		theirs, ours int
	}{
		{"first apply, one version", converted{"v1", "", "v1"}, false, 1, 1},
		{"first apply, two versions", converted{"v1", "", "v2"}, false, 3, 2},
		{"apply, one version", converted{"v1", "v1", "v1"}, false, 7, 2},
		{"apply, two versions", converted{"v1", "v1", "v2"}, false, 11, 10},
		{"update, one version", converted{"v1", "v1", "v1"}, true, 2, 1},
		{"update, two versions", converted{"v1", "v1", "v2"}, true, 4, 3},
		{"update of another version", converted{"v1", "v2", "v2"}, true, 4, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			theirs, ours := &conversions{}, &conversions{}
			if err := tc.object.theirs(t, theirs, tc.update); err != nil {
				t.Fatal(err)
			}
			if err := tc.object.ours(t, ours, tc.update); err != nil {
				t.Fatal(err)
			}
			if theirs.calls != tc.theirs {
				t.Errorf("structured-merge-diff has changed: it calls the Converter %d times, want %d", theirs.calls, tc.theirs)
			}
			if ours.calls != tc.ours {
				t.Errorf("Dovetail calls the Converter %d times, want %d", ours.calls, tc.ours)
			}
		})
	}
}
