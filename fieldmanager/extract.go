package fieldmanager

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Extract returns what manager owns in live by applying through this
// endpoint's subresource, as a config in the API version it last applied:
// apiVersion, kind, metadata.name and namespace, and its fields. The config is
// nil when the manager owns nothing.
//
// With declarative defaults, applying it again changes nothing as long as live holds
// all that the manager owns: what somebody else took out is not in the config,
// and applying it gives that up. (Without, an object that is owned as empty can
// lose what others put into it, as in structured-merge-diff.) With manager
// kubectl, the annotation of client-side apply is brought up to date.
//
// live is not modified, but the config shares parts with it.
func (m *FieldManager) Extract(live map[string]any, manager string) (map[string]any, error) {
	managed, err := Decode(live)
	if err != nil {
		return nil, err
	}
	owner := Owner{Manager: manager, Operation: OperationApply, Subresource: m.o.Subresource}
	e := managed.find(owner.ID())
	if e == nil {
		return nil, nil
	}
	plain, t, err := m.convert(withoutManagedFields(live), e.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", describe(live), err)
	}
	tv, err := t.FromUnstructured(plain, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("live object (%s): %w", describe(live), err)
	}
	leaves := e.Set.Leaves()
	extracted := tv.ExtractItems(leaves)
	keepEmpty(extracted, tv, leaves)
	config, ok := extracted.AsValue().Unstructured().(map[string]any)
	if !ok && extracted.AsValue().Unstructured() != nil {
		return nil, fmt.Errorf("extracted %s, want an object", kindOf(extracted.AsValue().Unstructured()))
	}
	config, metadata := withMetadata(config)
	config["apiVersion"], config["kind"] = typeOf(plain)
	for _, name := range []string{"name", "namespace"} {
		if s := metaString(plain, name); s != "" {
			metadata[name] = s
		}
	}
	return config, nil
}

// keepEmpty makes empty objects of the nulls in extracted that stand for
// objects of which only the object itself is owned: null would remove them.
func keepEmpty(extracted, live *typed.TypedValue, leaves *fieldpath.Set) {
	leaves.Iterate(func(p fieldpath.Path) {
		last := p[len(p)-1]
		if last.FieldName == nil {
			return
		}
		parent, _ := valueAt(extracted, p[:len(p)-1])
		container, ok := parent.(map[string]any)
		if v, has := container[*last.FieldName]; !ok || !has || v != nil {
			return
		}
		v, _ := valueAt(live, p)
		if _, isMap := v.(map[string]any); isMap {
			container[*last.FieldName] = map[string]any{}
		}
	})
}
