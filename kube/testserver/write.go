// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// write is a request that stores an object. Its fields also contain what the server has found out
// about the request so far.
type write struct {
	target
	options
	verb predict.Verb
	// object is the object in the request body. For a patch, the function change computes the object
	// from the live object.
	object map[string]any
	change func(live map[string]any) (map[string]any, error)
	// patch is true for a JSON patch, a merge patch or a strategic merge patch.
	patch bool
	// duplicates has an error message for each field that the request contains twice.
	duplicates []string
	// warnings lists the warnings for the client.
	warnings []string
}

func (s *Server) serveCreate(w http.ResponseWriter, r *http.Request, t target) error {
	o, err := writeOptions(r, "")
	if err != nil {
		return err
	}
	return s.serveObject(w, r, &write{target: t, options: o, verb: predict.Create})
}

func (s *Server) serveReplace(w http.ResponseWriter, r *http.Request, t target) error {
	o, err := writeOptions(r, "")
	if err != nil {
		return err
	}
	if t.subresource == "scale" {
		return s.replaceScale(w, r, t, o)
	}
	return s.serveObject(w, r, &write{target: t, options: o, verb: predict.Update})
}

// serveObject handles a request that contains an object.
func (s *Server) serveObject(w http.ResponseWriter, r *http.Request, q *write) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	object, duplicates, err := decodeObject(data, mediaType(r))
	if err != nil {
		return err
	}
	q.object, q.duplicates = object, duplicates
	return s.answerWrite(w, r, q)
}

// answerWrite stores the object of a request and sends it to the client.
func (s *Server) answerWrite(w http.ResponseWriter, r *http.Request, q *write) error {
	object, created, err := s.write(q)
	addWarnings(w, q.warnings...)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return s.answer(w, r, code, q.resource, object)
}

// write predicts the result of a request and stores it. It returns the stored object.
// created is true if the object is new. The error is the same as a real server's.
func (s *Server) write(q *write) (object map[string]any, created bool, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	r := q.resource
	if r.custom != nil && s.types.Definition(r.apiVersion(), r.kind) == nil {
		return nil, false, notFound() // the definition was deleted in the meantime
	}
	if q.change == nil {
		if err := q.checkNamed(); err != nil {
			return nil, false, err
		}
		if err := s.readObject(q); err != nil {
			return nil, false, err
		}
	}
	if q.verb == predict.Create {
		q.generateName()
		q.name = document.MetaString(q.object, "name")
	}
	live := s.store.get(r.gr(), q.key())
	if err := q.checkExists(live); err != nil {
		return nil, false, err
	}
	if q.change != nil {
		if err := s.changed(q, live); err != nil {
			return nil, false, err
		}
	}
	if !q.verb.IsApply() {
		if err := q.checkNamespace(s); err != nil {
			return nil, false, err
		}
	}
	if err := q.checkRevision(s, live); err != nil {
		return nil, false, err
	}
	if err := q.checkTerminating(s, live); err != nil {
		return nil, false, err
	}
	if q.subresource == "finalize" {
		return s.finalize(q, live)
	}
	before := live
	if q.subresource == "scale" {
		// A Scale has its own API version, so read the live object in the version in the URL path.
		if before, err = s.inVersion(r, live); err != nil {
			return nil, false, err
		}
	}
	done, err := s.predict.Predict(&predict.Request{
		Verb: q.verb, Subresource: q.subresource, Manager: q.manager, Time: s.options.Now().UTC().Truncate(time.Second), Object: q.object, Live: before,
		DryRun: true, // the code below stores the object
	})
	if err != nil {
		err = s.refusal(q, live, err)
	}
	if err = s.afterMerge(q, done, err); err != nil {
		return nil, false, err
	}
	q.warnings = append(q.warnings, done.ServerWarnings...)
	object = done.Object
	if live != nil && !done.Changed {
		return live, false, nil
	}
	if live == nil {
		object = s.withSystemMetadata(object)
	}
	if !done.Native {
		validated := object
		if r.custom != nil {
			validated = done.Validated
		}
		if err := s.validate(r, q, validated, done.Live); err != nil {
			return nil, false, err
		}
	}
	s.warnUnenforced(q, object)
	if q.dryRun {
		return object, live == nil, nil
	}
	if q.verb == predict.Create {
		if err := predict.CheckNew(q.object); err != nil {
			return nil, false, served.StatusError(err)
		}
	}
	object, err = s.storeOrRemove(r, object, live)
	return object, live == nil, err
}

// readObject checks the object of a request in the same order as an API server: its kind, its
// fields, then its name and namespace. If a value is missing, it takes the value from the URL path.
func (s *Server) readObject(q *write) (err error) {
	if q.object, err = checkKind(q); err != nil {
		return err
	}
	if !q.verb.IsApply() {
		if err := s.checkFields(q); err != nil {
			return err
		}
		if err := checkGoType(q.bodyKind(), q.object); err != nil {
			return q.undecodable(err.Error())
		}
	}
	q.object, err = checkTarget(q.object, &q.target)
	if err == nil && q.verb == predict.Update && document.MetaString(q.object, "resourceVersion") == "0" {
		q.object = withValue(q.object, []string{"metadata", "resourceVersion"}, "") // 0 counts as unset
	}
	return err
}

// undecodable returns the error for an object that cannot be decoded.
func (q *write) undecodable(why string) error {
	if q.patch {
		patched, _ := json.Marshal(q.object) // q.object was decoded from JSON, so this cannot fail
		return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), truncateForMessage(string(patched)), why)})
	}
	kind := q.bodyKind()
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", kind.Kind, kind.Version, kind.Kind, why))
}

// checkNamed returns an error if the request requires a kind or a name that the object lacks. An
// update of a built-in kind may omit the kind, because a server knows the kind from the URL path.
func (q *write) checkNamed() error {
	want := q.bodyKind()
	switch apiVersion, kind := text(q.object["apiVersion"]), text(q.object["kind"]); {
	case q.verb.IsApply() && (apiVersion != want.GroupVersion().String() || kind != want.Kind):
		gv, _ := schema.ParseGroupVersion(apiVersion) // an invalid version counts as ""
		return apierrors.NewBadRequest("invalid object type: " + truncateForMessage(gv.WithKind(kind).String()))
	case q.resource.custom != nil && kind == "":
		return apierrors.NewBadRequest("Object 'Kind' is missing")
	case q.verb == predict.Update:
		return checkNameGiven(q.object, q.name)
	}
	return nil
}

// checkNameGiven returns an error if the object of a PUT has no name. name is the name in the URL path.
func checkNameGiven(object map[string]any, name string) error {
	if document.MetaString(object, "name") != "" {
		return nil
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", truncateForMessage(name)))
}

// checkGoType returns an error if Go cannot decode the object into the type of its built-in kind. A
// server also rejects such an object.
func checkGoType(kind schema.GroupVersionKind, object map[string]any) error {
	into, err := goTypes().New(kind)
	if err != nil {
		return nil // the kind is custom, or belongs to another release
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}

// checkMerged returns an error if Go cannot decode the merged object of an apply. A server decodes
// this object before it validates it.
func (q *write) checkMerged(object map[string]any) error {
	r := q.resource
	into, err := goTypes().New(r.gvk())
	if err != nil {
		return nil // a custom resource, or a type of another release
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into); err != nil {
		return fmt.Errorf("failed to convert new object (%s/%s; %v) to proper version: unable to convert unstructured object to %[3]v: %[4]w", q.namespace, q.name, r.gvk(), err)
	}
	return nil
}

// finalize sets the finalizers in the spec of a Namespace. No other request can change
// these finalizers.
func (s *Server) finalize(q *write, live map[string]any) (map[string]any, bool, error) {
	left, _ := at(q.object, "spec", "finalizers").([]any)
	if left == nil {
		left = []any{}
	}
	object := withValue(live, []string{"spec", "finalizers"}, left)
	if q.dryRun {
		return object, false, nil
	}
	object, err := s.storeOrRemove(q.resource, object, live)
	return object, false, err
}

// storeOrRemove stores an object. If the object is deleted and has no finalizers left, it
// removes the object instead.
func (s *Server) storeOrRemove(r *resource, object, live map[string]any) (map[string]any, error) {
	if live != nil && document.MetaString(live, "deletionTimestamp") != "" && !hasFinalizers(object) {
		_, err := s.removeStored(r, object)
		return object, err
	}
	object, err := s.store.put(r.gr(), object, live)
	if err != nil {
		return nil, err
	}
	return object, s.afterStore(r, object, live)
}

// generateName sets the name of a new object that has generateName but no name.
func (q *write) generateName() {
	prefix := document.MetaString(q.object, "generateName")
	if prefix == "" || document.MetaString(q.object, "name") != "" {
		return
	}
	if len(prefix) > 58 {
		prefix = prefix[:58]
	}
	_, metadata := document.WithMetadata(q.object)
	metadata["name"] = prefix + rand.String(5)
	q.object = document.Shallow(q.object)
	q.object["metadata"] = metadata
}

// createdByUpdate lists the kinds for which a PUT creates the object if it does not exist.
var createdByUpdate = []string{
	"ClusterRole", "ClusterRoleBinding", "Endpoints", "Event", "Lease", "LeaseCandidate", "LimitRange", "Role", "RoleBinding", "RuntimeClass", "Service",
}

// checkExists returns an error if a request creates an object that exists, or changes one
// that does not exist.
func (q *write) checkExists(live map[string]any) error {
	r := q.resource
	switch {
	case q.verb == predict.Create && live != nil:
		return apierrors.NewAlreadyExists(r.gr(), q.name)
	case q.verb.IsApply() && live == nil && q.subresource != "":
		return apierrors.NewNotFound(r.gr(), q.name)
	case q.verb == predict.Update && live == nil:
		if q.change == nil && q.subresource == "" && r.custom == nil && slices.Contains(createdByUpdate, r.kind) {
			return nil
		}
		return apierrors.NewNotFound(r.gr(), q.name)
	}
	return nil
}

// checkNamespace returns an error if the namespace of the object does not exist.
func (q *write) checkNamespace(s *Server) error {
	if q.resource.namespaced && s.store.get(namespaces.gr(), key{name: q.namespace}) == nil {
		return apierrors.NewNotFound(namespaces.gr(), q.namespace)
	}
	return nil
}

var namespaces = &resource{version: "v1", kind: "Namespace", plural: "namespaces"}

// checkRevision checks the uid and the resourceVersion of the request against the live
// object.
func (q *write) checkRevision(s *Server, live map[string]any) error {
	r := q.resource
	uid, revision := document.MetaString(q.object, "uid"), document.MetaString(q.object, "resourceVersion")
	conflict := func(why string) error { return apierrors.NewConflict(r.gr(), q.name, errors.New(why)) }
	isUpdate := q.verb == predict.Update && !q.patch
	switch {
	case live == nil && q.verb.IsApply() && uid != "":
		return conflict("uid mismatch: the provided object specified uid " + truncateForMessage(uid) + ", and no existing object was found")
	case isUpdate && uid != "" && uid != document.MetaString(live, "uid"):
		return conflict("Precondition failed: UID in precondition: " + truncateForMessage(uid) + ", UID in object meta: " + document.MetaString(live, "uid"))
	case live == nil:
		return nil
	case q.patch && uid != "" && uid != document.MetaString(live, "uid"):
		return apierrors.NewInvalid(r.gvk().GroupKind(), q.name, field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), truncateForMessage(uid), "field is immutable")})
	case revision != "" && revision != document.MetaString(live, "resourceVersion"):
		return conflict("the object has been modified; please apply your changes to the latest version and try again")
	case revision == "" && q.verb == predict.Update && q.subresource != "scale" && s.predict.NeedsResourceVersion(r.apiVersion(), r.kind):
		kind := schema.GroupKind{Group: r.group, Kind: r.plural} // API servers write the plural here
		return apierrors.NewInvalid(kind, q.name, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	}
	return nil
}

// checkFields reports unknown and duplicate fields in the object of a create, an update or a patch.
func (s *Server) checkFields(q *write) error {
	if q.ignoresFields() {
		return nil
	}
	bad := slices.Clone(q.duplicates)
	r, kind := q.resource, q.bodyKind()
	if r.custom != nil && kind == r.gvk() {
		if v, _ := s.types.Version(r.apiVersion(), r.kind); v != nil {
			found, err := v.Validate(document.WithoutManagedFields(q.object), nil)
			if err != nil {
				return apierrors.NewInternalError(err)
			}
			for _, f := range found {
				if f.Rule == crd.ObjectUnknown {
					bad = append(bad, fmt.Sprintf("unknown field %q", strings.TrimPrefix(f.Path, ".")))
				}
			}
		}
	} else if s.types.GoForm() != nil {
		_, dropped := s.types.GoForm().Normalise(q.object)
		for _, d := range dropped {
			bad = append(bad, fmt.Sprintf("unknown field %q", strings.TrimPrefix(d.Path.String(), ".")))
		}
	}
	return q.reportFields(bad)
}

// ignoresFields reports whether unknown and duplicate fields are neither errors nor warnings.
func (q *write) ignoresFields() bool {
	return q.validation == metav1.FieldValidationIgnore || q.validation == ""
}

// reportFields reports unknown and duplicate fields as errors or warnings, according to the
// request's option fieldValidation.
func (q *write) reportFields(bad []string) error {
	switch {
	case len(bad) == 0 || q.ignoresFields():
		return nil
	case q.validation != metav1.FieldValidationStrict:
		q.warnings = append(q.warnings, bad...)
		return nil
	case q.verb.IsApply():
		return apierrors.NewBadRequest("error strict decoding patch: " + strings.Join(bad, ", "))
	}
	return q.undecodable("strict decoding error: " + strings.Join(bad, ", "))
}

// afterMerge runs the checks that a server runs between the merge of an apply and admission. The
// arguments done and err are the result of the prediction. If a check fails, afterMerge returns the
// error of the check. If the merge failed, or if all checks pass, it returns err.
func (s *Server) afterMerge(q *write, done *predict.Prediction, err error) error {
	if failed := err != nil && !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err); failed || !q.verb.IsApply() {
		return err
	}
	if err == nil {
		if err := q.checkMerged(done.Object); err != nil {
			return err
		}
	}
	if err := q.reportFields(q.duplicates); err != nil {
		return err
	}
	if err := q.checkNamespace(s); err != nil {
		return err
	}
	return err
}

// withSystemMetadata adds to a new object the metadata that only a server can set, such as the UID. In
// a Job, it also sets the selector, which contains the UID.
func (s *Server) withSystemMetadata(object map[string]any) map[string]any {
	object, metadata := document.WithMetadata(object)
	metadata["uid"] = string(uuid.NewUUID())
	metadata["creationTimestamp"] = s.options.Now().UTC().Format(time.RFC3339)
	if apiVersion, kind := document.TypeOf(object); apiVersion == "batch/v1" && kind == "Job" && at(object, "spec", "manualSelector") != true {
		object = selectingPods(object, metadata["uid"])
	}
	return object
}

// selectingPods returns a Job with a selector that contains the UID of the Job, and with the
// corresponding labels in the pod template.
func selectingPods(job map[string]any, uid any) map[string]any {
	const label = "batch.kubernetes.io/controller-uid"
	for _, path := range [][]string{
		{"spec", "template", "metadata", "labels", "controller-uid"},
		{"spec", "template", "metadata", "labels", label},
		{"spec", "selector", "matchLabels", label},
	} {
		if at(job, path...) == nil {
			job = withValue(job, path, uid)
		}
	}
	return job
}

// validate returns an error if a server would reject the object as invalid.
func (s *Server) validate(r *resource, q *write, object, live map[string]any) error {
	errs, err := s.types.Validate(object, live, q.subresource)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(r.gvk().GroupKind(), r.describe(object), errs)
	}
	if r.kind == "CustomResourceDefinition" && r.custom == nil && q.subresource == "" {
		return validateDefinition(object, live)
	}
	return nil
}
