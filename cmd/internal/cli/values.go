package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// version returns the version of a CRD that defines a kind, nil if none of the
// CRDs given does. The last one counts, as it does for the type.
func (t *types) version(apiVersion, kind string) *crd.Version {
	if t.versions == nil {
		t.versions = map[[2]string]*crd.Version{}
		for _, doc := range t.crds {
			defs, _ := crd.Read(doc.Name, doc.Data) // the catalog has read it
			for _, d := range defs {
				for _, v := range d.Versions {
					t.versions[[2]string{d.Group + "/" + v.Name, d.Kind}] = v
				}
			}
		}
	}
	return t.versions[[2]string{apiVersion, kind}]
}

// values checks what the merge type of a custom resource does not say: required
// fields, bounds, formats, rules. What the type found already is left out.
func (t *types) values(o *outcome) {
	id := o.object.Identity()
	v := t.version(id.APIVersion, id.Kind)
	if v == nil {
		return
	}
	found, err := v.Validate(o.object.Content, nil)
	if err != nil {
		o.warn("", fmt.Sprintf("values are not checked: %v", err))
		return
	}
	typed := o.errors
	for _, f := range found {
		if f.Rule == crd.ObjectUnchecked {
			o.warn(f.Path, f.Message)
			continue
		}
		e := o.object.Errorf(f.Path, "%s", f.Message)
		if !saidAlready(f, e, typed) {
			e.Path = shorten(e.Path)
			o.errors = append(o.errors, e)
		}
	}
}

// saidAlready says whether what the type found covers a finding.
func saidAlready(f *crd.Finding, e *manifest.Error, typed manifest.Errors) bool {
	return slices.ContainsFunc(typed, func(t *manifest.Error) bool {
		switch f.Rule {
		case crd.ObjectUnknown, crd.ObjectDuplicate:
			return true // the type reports all of them
		case crd.ObjectType, crd.ObjectValue:
			return t.Line == e.Line
		case crd.ObjectMeta:
			return strings.HasPrefix(t.Path, ".metadata.")
		case crd.ObjectRequired: // of an item without its keys
			return strings.HasPrefix(f.Path, t.Path+"[")
		}
		return false
	})
}
