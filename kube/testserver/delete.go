// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"errors"
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
	warnOrphans(w, t.resource, &o)
	object, gone, err := s.delete(&t, &o)
	if err != nil {
		return err
	}
	if gone && !returnsDeleted(t.resource) {
		writeJSON(w, http.StatusOK, &metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
			Details: &metav1.StatusDetails{Name: t.name, Group: t.resource.group, Kind: t.resource.plural, UID: types.UID(document.MetaString(object, "uid"))},
		})
		return nil
	}
	code := http.StatusOK
	if orphan := orphanDependents(&o); !gone && orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	return s.answer(w, r, code, t.resource, object)
}

// serveDeleteCollection deletes the objects that a list request with the same options returns. Like an
// API server, it responds with the objects from before the deletion.
func (s *Server) serveDeleteCollection(w http.ResponseWriter, r *http.Request, t target) error {
	objects, meta, err := s.list(r, &t)
	if err != nil {
		return err
	}
	o, err := deleteOptions(r)
	if err != nil {
		return err
	}
	warnOrphans(w, t.resource, &o)
	for _, object := range objects {
		k := keyOf(object)
		one := target{resource: t.resource, namespace: k.namespace, name: k.name}
		if _, _, err := s.delete(&one, &o); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return s.answerList(w, r, t.resource, objects, meta)
}

// returnsDeleted reports whether the response to a deletion contains the removed object. If not, it
// contains a Status.
func returnsDeleted(r *resource) bool {
	if r.custom != nil {
		return false
	}
	switch r.group {
	case "":
		return slices.Contains([]string{"Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PodTemplate", "ResourceQuota", "Service", "ServiceAccount"}, r.kind)
	case "resource.k8s.io":
		return slices.Contains([]string{"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest", "ResourceSlice"}, r.kind)
	case "storage.k8s.io":
		return slices.Contains([]string{"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"}, r.kind)
	}
	return false
}

// undeletable lists the Namespaces that clients cannot delete.
var undeletable = []string{metav1.NamespaceDefault, metav1.NamespacePublic, metav1.NamespaceSystem}

// delete removes an object, or marks it as deleted if it has finalizers or a grace period. It returns
// the last state of the object. gone is true if the object was removed.
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
	if r.isNamespace() && slices.Contains(undeletable, t.name) {
		return nil, false, apierrors.NewForbidden(r.gr(), t.name, errors.New("this namespace may not be deleted"))
	}
	object, gone = deletionOf(r, live, o, s.options.Now())
	if len(o.DryRun) > 0 {
		return object, gone, nil
	}
	if _, deleted := deletionTime(live); isDefinition(r) && !deleted {
		object, err = s.deleteDefinition(r, live)
		return object, false, err
	}
	if !document.Equal(object, live) {
		if object, err = s.store.put(r.gr(), object, live); err != nil {
			return nil, false, err
		}
	}
	if gone {
		object, err = s.removeStored(r, object)
	}
	return object, gone, err
}

// deletionOf returns an object as the server stores it after a deletion. gone is true if the server
// then removes the object. If the deletion changes nothing, the result is live.
func deletionOf(r *resource, live map[string]any, o *metav1.DeleteOptions, now time.Time) (object map[string]any, gone bool) {
	left := finalizersAfter(r, live, o)
	end, deleted := deletionTime(live)
	switch {
	case r.isNamespace() && !deleted:
		object = withDeletion(live, left, now, nil) // for a Namespace, API servers set no grace period
		return withValue(object, []string{"status", "phase"}, "Terminating"), false
	case r.isNamespace() && hasSpecFinalizers(live):
		return live, false
	case r.isPod() && !deleted:
		grace := graceOf(live, o)
		return withDeletion(live, left, now.Add(time.Duration(grace)*time.Second), &grace), len(left) == 0 && grace == 0
	case r.isPod() && seconds(live) != 0:
		grace := seconds(live)
		if o.GracePeriodSeconds == nil || requestedGrace(o) >= grace {
			return live, false // a client can only shorten the grace period
		}
		end = end.Add(time.Duration(requestedGrace(o)-grace) * time.Second)
		if grace = requestedGrace(o); end.Before(now) {
			end, grace = now, min(grace, 1)
		}
		return withDeletion(live, left, end, &grace), len(left) == 0 && grace == 0
	case len(left) == 0:
		return live, true
	case !deleted || end.After(now):
		end = now
	}
	return withDeletion(live, left, end, new(int64)), false
}

// deletionTime returns the deletionTimestamp of an object. The result is false if there is none.
func deletionTime(object map[string]any) (time.Time, bool) {
	text := document.MetaString(object, "deletionTimestamp")
	at, _ := time.Parse(time.RFC3339, text)
	return at, text != ""
}

// withDeletion returns an object with the metadata of a deletion. If the deletion is new, it also
// increments the generation of the object. If grace is nil, the grace period does not change.
func withDeletion(object map[string]any, finalizers []string, at time.Time, grace *int64) map[string]any {
	_, deleted := deletionTime(object)
	object, metadata := document.WithMetadata(object)
	metadata["deletionTimestamp"] = at.UTC().Format(time.RFC3339)
	if grace != nil {
		metadata["deletionGracePeriodSeconds"] = *grace
	}
	if g, ok := metadata["generation"].(int64); ok && !deleted {
		metadata["generation"] = g + 1
	}
	delete(metadata, "finalizers")
	if len(finalizers) > 0 {
		all := make([]any, len(finalizers))
		for i, f := range finalizers {
			all[i] = f
		}
		metadata["finalizers"] = all
	}
	return object
}

// removeStored removes an object from the store, and returns it with its last resourceVersion. If the
// object is a definition, the server also stops serving its resources. If the object is the last custom
// resource of a deleted definition, the server also removes the definition.
func (s *Server) removeStored(r *resource, object map[string]any) (map[string]any, error) {
	object, err := s.store.remove(r.gr(), object)
	switch {
	case err != nil:
	case isDefinition(r):
		err = s.stopServing(object)
	case r.custom != nil:
		err = s.finishDefinition(r.gr())
	}
	return object, err
}

// isDefinition reports whether the kind is the built-in kind CustomResourceDefinition.
func isDefinition(r *resource) bool { return r.custom == nil && r.gvk().GroupKind() == definitionKind }

func finalizers(object map[string]any) []string {
	return texts(document.Metadata(object)["finalizers"])
}

// hasFinalizers reports whether an object that is being deleted must stay for now, because it has
// finalizers or a grace period.
func hasFinalizers(object map[string]any) bool {
	_, deleted := deletionTime(object)
	return len(finalizers(object)) > 0 || deleted && seconds(object) > 0 ||
		object["kind"] == "Namespace" && object["apiVersion"] == "v1" && hasSpecFinalizers(object)
}

// hasSpecFinalizers reports whether a Namespace has finalizers in its spec.
func hasSpecFinalizers(namespace map[string]any) bool {
	return len(texts(at(namespace, "spec", "finalizers"))) > 0
}

// seconds returns the grace period of a deleted object in seconds.
func seconds(object map[string]any) int64 {
	n, _ := document.Metadata(object)["deletionGracePeriodSeconds"].(int64)
	return n
}

// graceOf returns the grace period for the deletion of a Pod, in seconds. It is 0 unless the Pod runs
// on a node.
func graceOf(pod map[string]any, o *metav1.DeleteOptions) int64 {
	if text(at(pod, "spec", "nodeName")) == "" {
		return 0
	}
	if phase := at(pod, "status", "phase"); phase == "Succeeded" || phase == "Failed" {
		return 0
	}
	if o.GracePeriodSeconds != nil {
		return requestedGrace(o)
	}
	if n, ok := at(pod, "spec", "terminationGracePeriodSeconds").(int64); ok {
		return positiveGrace(n)
	}
	return 30
}

// requestedGrace returns the grace period in the options of a deletion. o.GracePeriodSeconds must not
// be nil.
func requestedGrace(o *metav1.DeleteOptions) int64 { return positiveGrace(*o.GracePeriodSeconds) }

// positiveGrace returns the grace period that API servers use for n. A negative grace period means
// one second.
func positiveGrace(n int64) int64 {
	if n < 0 {
		return 1
	}
	return n
}

// finalizersAfter returns the finalizers of an object after a deletion. The propagation policy of the
// deletion adds or removes the finalizers of the garbage collector. In a cluster, the garbage
// collector then removes its finalizer. Here, the finalizer stays until a client removes it.
func finalizersAfter(r *resource, object map[string]any, o *metav1.DeleteOptions) []string {
	has, orphan := finalizers(object), orphanDependents(o)
	ofCollector := func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	}
	wants := ""
	switch first := slices.IndexFunc(has, ofCollector); {
	case isEvent(r): // the garbage collector ignores Events
	case orphan != nil && *orphan, o.PropagationPolicy != nil && *o.PropagationPolicy == metav1.DeletePropagationOrphan:
		wants = metav1.FinalizerOrphanDependents
	case orphan != nil && r.isNamespace(), o.PropagationPolicy != nil && *o.PropagationPolicy == metav1.DeletePropagationForeground:
		wants = metav1.FinalizerDeleteDependents
	case hasPolicy(o):
	case r.isNamespace():
		return has
	case first >= 0:
		wants = has[first]
	case orphansByDefault(r):
		wants = metav1.FinalizerOrphanDependents
	}
	left := slices.DeleteFunc(slices.Clone(has), ofCollector)
	if wants != "" {
		left = append(left, wants)
	}
	if len(left) == len(has) && (wants == "" || slices.Contains(has, wants)) {
		return has // keep the order
	}
	return left
}

// hasPolicy reports whether the options of a deletion contain a propagation policy.
func hasPolicy(o *metav1.DeleteOptions) bool {
	return orphanDependents(o) != nil || o.PropagationPolicy != nil
}

// orphanDependents returns the older form of the propagation policy.
func orphanDependents(o *metav1.DeleteOptions) *bool {
	//lint:ignore SA1019 API servers still accept the field
	return o.OrphanDependents
}

func isEvent(r *resource) bool {
	return r.custom == nil && r.kind == "Event" && (r.group == "" || r.group == "events.k8s.io")
}

// isJob reports whether the kind is the built-in kind Job.
func isJob(r *resource) bool { return r.custom == nil && r.group == "batch" && r.kind == "Job" }

// orphansByDefault reports whether a deletion without a propagation policy has the policy Orphan.
func orphansByDefault(r *resource) bool {
	return isJob(r) || r.custom == nil && r.group == "" && r.kind == "ReplicationController"
}

// warnOrphans adds the warning of API servers about a deletion of Jobs without a propagation policy.
func warnOrphans(w http.ResponseWriter, r *resource, o *metav1.DeleteOptions) {
	if isJob(r) && !hasPolicy(o) {
		addWarnings(w, "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}
