// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// kubectlLastApplied is the manager name that kubectl uses to keep the last-applied
// annotation.
const kubectlLastApplied = "kubectl-last-applied"

// KubectlMigration is the result of the requests that kubectl sends after a server-side
// apply to migrate an object from client-side apply.
type KubectlMigration struct {
	// From lists the names of the managers whose fields kubectl transfers to the applier, sorted.
	// These managers own the last-applied annotation by Update. If no manager owns the annotation, From
	// is empty, and kubectl only applies the annotation.
	From []string
	// Object is the object after the last request, with its managed fields.
	Object map[string]any
	// Warnings lists the warnings of these requests. If the server rejects one of the requests,
	// kubectl prints a warning and does not fail. In that case, Warnings contains the warning of
	// kubectl, and Object does not include the effect of the rejected request.
	Warnings []managedfields.Warning
}

// MigrateAsKubectl predicts the requests that "kubectl apply --server-side" sends after an apply to
// migrate an object that was applied client-side before. The argument r is the apply, and applied is
// the object that it stored, with its managed fields. The result is nil if kubectl sends no such
// requests. MigrateAsKubectl does not modify its arguments.
//
// A manager has used client-side apply if it owns the annotation
// kubectl.kubernetes.io/last-applied-configuration by Update. Since Kubernetes 1.26, kubectl moves the
// fields of these managers to its own Apply entry, and then sends r again. Sending r again removes the
// fields that r.Object lacks, unless another manager owns them. If the manager of r is "kubectl" and no
// manager owns the annotation by Apply, kubectl first applies the annotation as the manager
// "kubectl-last-applied", so that the annotation stays. kubectl sends this request even if no manager
// has used client-side apply.
//
// Argo CD uses kubectl's code for applies, so it also sends these requests. Flux and Helm do not send
// them.
func (s *Server) MigrateAsKubectl(r *Request, applied map[string]any) (*KubectlMigration, error) {
	managed, err := managedfields.Decode(applied)
	if err != nil {
		return nil, err
	}
	m := &KubectlMigration{Object: applied}
	for _, e := range managed.Entries() {
		if e.Operation == managedfields.OperationUpdate && e.Set.Has(clientside.Path) {
			m.From = append(m.From, e.Manager)
		}
	}
	if r.Subresource != "" {
		return nil, nil
	}
	slices.Sort(m.From)
	m.From = slices.Compact(m.From)

	var kept *KubectlMigration // the result if kubectl only keeps the annotation
	if r.Manager == clientside.Kubectl && !appliesAnnotation(managed) {
		if config := annotationConfig(applied); config != nil {
			keep := &Request{Verb: Apply, Manager: kubectlLastApplied, Time: r.Time, Object: config, Live: applied, Type: r.Type}
			p, err := s.Predict(keep)
			if err != nil {
				m.warn("the server rejects the apply by which kubectl would keep the last-applied annotation, so kubectl does not transfer the fields of client-side apply: %v", err)
				return m, nil
			}
			m.Object = p.Object
			kept = &KubectlMigration{Object: p.Object}
		}
	}
	if len(m.From) == 0 {
		return kept, nil
	}
	if managed, err = managedfields.Decode(m.Object); err != nil {
		return nil, err
	}
	upgraded, changed, err := managed.Upgrade(m.From, r.Manager, "")
	if err != nil {
		return nil, err
	}
	if !changed {
		return kept, nil
	}
	m.Object = upgraded.EncodeInto(m.Object)

	again := *r
	again.Live, again.Trace = m.Object, nil
	p, err := s.Predict(&again)
	if err != nil {
		m.warn("kubectl transfers the fields of client-side apply to %s, but the server rejects the apply after that: %v", r.Manager, err)
		return m, nil
	}
	m.Object, m.Warnings = p.Object, append(m.Warnings, p.Warnings...)
	return m, nil
}

func (m *KubectlMigration) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, managedfields.Warning{Message: fmt.Sprintf(format, args...)})
}

// appliesAnnotation reports whether a manager owns the last-applied annotation by Apply.
func appliesAnnotation(managed *managedfields.Managed) bool {
	return slices.ContainsFunc(managed.Entries(), func(e managedfields.Entry) bool {
		return e.Operation == managedfields.OperationApply && e.Set.Has(clientside.Path)
	})
}

// annotationConfig returns a config that contains only the last-applied annotation of
// object. It returns nil if object has no such annotation.
func annotationConfig(object map[string]any) map[string]any {
	metadata := document.Metadata(object)
	annotations, _ := metadata["annotations"].(map[string]any)
	text, ok := annotations[fieldmanager.LastAppliedAnnotation].(string)
	if !ok {
		return nil
	}
	apiVersion, kind := document.TypeOf(object)
	only := map[string]any{"name": metadata["name"], "annotations": map[string]any{fieldmanager.LastAppliedAnnotation: text}}
	if namespace, ok := metadata["namespace"]; ok {
		only["namespace"] = namespace
	}
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": only}
}
