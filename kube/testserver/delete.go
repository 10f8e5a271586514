// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// deleteOptions parses the options of a DELETE from its body or its query.
func deleteOptions(r *http.Request) (o metav1.DeleteOptions, err error) {
	data, err := body(r)
	if err != nil {
		return o, err
	}
	if len(data) > 0 {
		object, _, err := decodeObject(data, mediaType(r))
		if err != nil {
			return o, err
		}
		if kind := textOr(object["kind"], "DeleteOptions"); kind != "DeleteOptions" {
			return o, apierrors.NewBadRequest("decoded object cannot be converted to DeleteOptions: it is a " + kind)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &o); err != nil {
			return o, apierrors.NewBadRequest(truncateForMessage(err.Error()))
		}
	} else {
		q := r.URL.Query()
		if err := metav1.Convert_url_Values_To_v1_DeleteOptions((*url.Values)(&q), &o, nil); err != nil {
			return o, apierrors.NewBadRequest(err.Error())
		}
	}
	if errs := metavalidation.ValidateDeleteOptions(&o); len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	return o, nil
}

func (s *Server) serveDelete(w http.ResponseWriter, r *http.Request, t target) error {
	o, err := deleteOptions(r)
	if err != nil {
		return err
	}
	object, gone, err := s.delete(&t, &o)
	if err != nil {
		return err
	}
	if !gone {
		return s.answer(w, r, http.StatusOK, t.resource, object)
	}
	writeJSON(w, http.StatusOK, &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: t.name, Group: t.resource.group, Kind: t.resource.plural, UID: types.UID(document.MetaString(object, "uid"))},
	})
	return nil
}

func (s *Server) serveDeleteCollection(w http.ResponseWriter, r *http.Request, t target) error {
	chosen, err := parseSelectors(r, t.resource)
	if err != nil {
		return err
	}
	o, err := deleteOptions(r)
	if err != nil {
		return err
	}
	objects, _ := s.store.list(t.resource.gr(), t.namespace)
	var deleted []map[string]any
	for _, object := range objects {
		if !chosen.matches(object) {
			continue
		}
		k := keyOf(object)
		one := target{resource: t.resource, namespace: k.namespace, name: k.name}
		after, _, err := s.delete(&one, &o)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return err
		}
		deleted = append(deleted, after)
	}
	return s.answerList(w, r, t.resource, deleted, metav1.ListMeta{ResourceVersion: fmt.Sprint(s.store.now())})
}

// delete removes an object, or marks it as deleted if it has finalizers. It returns the
// last state of the object. gone is true if the object was removed.
func (s *Server) delete(t *target, o *metav1.DeleteOptions) (object map[string]any, gone bool, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	r := t.resource
	live := s.store.get(r.gr(), t.key())
	if live == nil {
		return nil, false, apierrors.NewNotFound(r.gr(), t.name)
	}
	if p := o.Preconditions; p != nil {
		kind := schema.GroupResource{Group: r.group, Resource: r.kind} // API servers write the kind here
		if is := document.MetaString(live, "uid"); p.UID != nil && string(*p.UID) != is {
			return nil, false, apierrors.NewConflict(kind, t.name, fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", truncateForMessage(string(*p.UID)), is))
		}
		if is := document.MetaString(live, "resourceVersion"); p.ResourceVersion != nil && *p.ResourceVersion != is {
			return nil, false, apierrors.NewConflict(kind, t.name, fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", truncateForMessage(*p.ResourceVersion), is))
		}
	}
	object = withPropagation(live, o)
	grace := graceOf(r, object, o)
	if !hasFinalizers(object) && grace == 0 {
		if len(o.DryRun) == 0 {
			err = s.removeStored(r, object)
		}
		return object, true, err
	}
	if was := document.MetaString(live, "deletionTimestamp"); was == "" || grace < seconds(live) {
		marked, metadata := document.WithMetadata(object)
		metadata["deletionTimestamp"] = cmp.Or(was, s.options.Now().UTC().Add(time.Duration(grace)*time.Second).Format(time.RFC3339))
		if !r.isNamespace() { // for a Namespace, API servers set only the time
			metadata["deletionGracePeriodSeconds"] = grace
		}
		if g, ok := metadata["generation"].(int64); ok && was == "" {
			metadata["generation"] = g + 1
		}
		object = marked
		if r.isNamespace() {
			object = withValue(object, []string{"status", "phase"}, "Terminating")
		}
	} else if slices.Equal(finalizers(object), finalizers(live)) {
		return live, false, nil
	}
	if len(o.DryRun) > 0 {
		return object, false, nil
	}
	if object, err = s.store.put(r.gr(), object, live); err != nil {
		return nil, false, err
	}
	return object, false, nil
}

// removeStored removes an object from the store. If the object is a definition, the server
// also stops serving its resources.
func (s *Server) removeStored(r *resource, object map[string]any) error {
	err := s.store.remove(r.gr(), object)
	if err == nil && r.custom == nil && r.kind == "CustomResourceDefinition" {
		err = s.stopServing(object)
	}
	return err
}

func finalizers(object map[string]any) []string {
	return texts(document.Metadata(object)["finalizers"])
}

// hasFinalizers reports whether an object that is being deleted must not be removed yet, because it
// has finalizers or a grace period.
func hasFinalizers(object map[string]any) bool {
	spec, _ := object["spec"].(map[string]any)
	return len(finalizers(object)) > 0 || document.MetaString(object, "deletionTimestamp") != "" && seconds(object) > 0 ||
		object["kind"] == "Namespace" && object["apiVersion"] == "v1" && len(texts(spec["finalizers"])) > 0
}

// seconds returns the grace period of a deleted object in seconds.
func seconds(object map[string]any) int64 {
	n, _ := document.Metadata(object)["deletionGracePeriodSeconds"].(int64)
	return n
}

// graceOf returns the grace period for the deletion of an object, in seconds. It is 0 unless the
// object is a Pod that runs on a node.
func graceOf(r *resource, object map[string]any, o *metav1.DeleteOptions) int64 {
	if r.custom != nil || r.group != "" || r.kind != "Pod" || text(at(object, "spec", "nodeName")) == "" {
		return 0
	}
	if phase := at(object, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	if o.GracePeriodSeconds != nil {
		return max(*o.GracePeriodSeconds, 0)
	}
	if n, ok := at(object, "spec", "terminationGracePeriodSeconds").(int64); ok {
		return n
	}
	return 30
}

// withPropagation adds the finalizer for the propagation policy of a deletion. In a cluster, the
// garbage collector removes this finalizer. Here, the finalizer stays until a client removes it.
func withPropagation(object map[string]any, o *metav1.DeleteOptions) map[string]any {
	wants := ""
	if p := o.PropagationPolicy; p != nil {
		wants = map[metav1.DeletionPropagation]string{
			metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents, metav1.DeletePropagationOrphan: metav1.FinalizerOrphanDependents,
		}[*p]
	}
	has := finalizers(object)
	if wants == "" || slices.Contains(has, wants) {
		return object
	}
	object, metadata := document.WithMetadata(object)
	var all []any
	for _, f := range append(has, wants) {
		all = append(all, f)
	}
	metadata["finalizers"] = all
	return object
}
