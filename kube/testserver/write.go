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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// write is a request that stores an object.
type write struct {
	target
	options
	verb predict.Verb
	// object is what is sent. Of a patch, change makes it of the live object.
	object map[string]any
	change func(live map[string]any) (map[string]any, error)
	// owned, if not nil, gives the result its managed fields.
	owned func(map[string]any) (map[string]any, error)
	// twice are the fields that were sent twice.
	twice []string
	// warnings are for the client.
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

// serveObject answers a request that sends an object.
func (s *Server) serveObject(w http.ResponseWriter, r *http.Request, q *write) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	object, twice, err := decodeObject(data, mediaType(r))
	if err != nil {
		return err
	}
	q.object, q.twice = object, twice
	return s.answerWrite(w, r, q)
}

// answerWrite writes, and answers with the object.
func (s *Server) answerWrite(w http.ResponseWriter, r *http.Request, q *write) error {
	object, created, err := s.write(q)
	for _, warning := range q.warnings {
		w.Header().Add("Warning", fmt.Sprintf("299 - %q", warning))
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return s.answer(w, r, code, q.resource, object)
}

// write stores what a request makes of an object and returns it, and whether it is new. The
// error is one that a server answers.
func (s *Server) write(q *write) (object map[string]any, created bool, err error) {
	if q.change == nil {
		if err := q.checkNamed(); err != nil {
			return nil, false, err
		}
		if q.object, err = checkTarget(q.object, &q.target); err != nil {
			return nil, false, err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	r := q.resource
	if r.custom != nil && s.types.Definition(r.apiVersion(), r.kind) == nil {
		return nil, false, notFound(r.plural) // it went meanwhile
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
	if err := q.checkNamespace(s); err != nil {
		return nil, false, err
	}
	if err := q.checkRevision(live); err != nil {
		return nil, false, err
	}
	if err := s.checkFields(q); err != nil {
		return nil, false, err
	}
	if q.subresource == "finalize" {
		return s.finalize(q, live)
	}
	if !q.verb.IsApply() {
		if err := checkGoType(r, q.object); err != nil {
			return nil, false, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", r.kind, r.version, r.kind, err))
		}
	}
	done, err := s.predict.Predict(&predict.Request{
		Verb: q.verb, Subresource: q.subresource, Manager: q.manager, Time: s.options.Now().UTC().Truncate(time.Second), Object: q.object, Live: live,
	})
	if err != nil {
		return nil, false, s.refusal(q, live, err)
	}
	for _, warning := range done.Warnings {
		if strings.Contains(warning.Message, "deprecated") {
			q.warnings = append(q.warnings, warning.Message)
		}
	}
	object = done.Object
	if err := q.checkMerged(object); err != nil {
		return nil, false, err
	}
	if q.owned != nil {
		if object, err = q.owned(object); err != nil {
			return nil, false, apierrors.NewInternalError(err)
		}
		done.Changed = !document.Equal(object, live)
	}
	if live != nil && !done.Changed {
		return live, false, nil
	}
	if live == nil {
		object = s.born(object)
		if r.custom == nil && r.gvk().GroupKind() == definitionKind {
			object = with(object, []string{"status", "storedVersions"}, storedVersions(object))
		}
	}
	if !done.Native {
		if err := s.validate(r, q, object, done.Live); err != nil {
			return nil, false, err
		}
	}
	if q.dryRun {
		return object, live == nil, nil
	}
	object, err = s.keep(r, object, live)
	return object, live == nil, err
}

// checkNamed refuses an object without the kind or name that its request needs. Where a server decodes into Go's types
// it knows the kind.
func (q *write) checkNamed() error {
	r := q.resource
	switch apiVersion, kind := text(q.object["apiVersion"]), text(q.object["kind"]); {
	case q.verb.IsApply() && (apiVersion != r.apiVersion() || kind != r.kind):
		gv, _ := schema.ParseGroupVersion(apiVersion) // what cannot be read is none
		return apierrors.NewBadRequest("invalid object type: " + shorten(gv.WithKind(kind).String()))
	case r.custom != nil && kind == "":
		return apierrors.NewBadRequest("Object 'Kind' is missing")
	case q.verb == predict.Update && document.MetaString(q.object, "name") == "":
		return apierrors.NewBadRequest("name must be provided")
	}
	return nil
}

// checkGoType decodes an object of a built-in kind as a server does: into its Go type.
func checkGoType(r *resource, object map[string]any) error {
	into, err := goTypes().New(r.gvk())
	if err != nil || r.custom != nil {
		return nil // its type is its definition, or one of another release
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}

// checkMerged decodes the object that an apply has merged, as a server does before it validates the object.
func (q *write) checkMerged(object map[string]any) error {
	r := q.resource
	if !q.verb.IsApply() {
		return nil
	}
	if err := checkGoType(r, object); err != nil {
		return fmt.Errorf("failed to convert new object (%s/%s; %s) to proper version (%s): %w", q.namespace, q.name, r.gvk(), r.apiVersion(), err)
	}
	return nil
}

// finalize takes finalizers out of a Namespace, which nothing else does.
func (s *Server) finalize(q *write, live map[string]any) (map[string]any, bool, error) {
	left, _ := at(q.object, "spec", "finalizers").([]any)
	if left == nil {
		left = []any{}
	}
	object := with(live, []string{"spec", "finalizers"}, left)
	if q.dryRun {
		return object, false, nil
	}
	object, err := s.keep(q.resource, object, live)
	return object, false, err
}

// keep stores an object, or takes it out if it was only waiting for its finalizers.
func (s *Server) keep(r *resource, object, live map[string]any) (map[string]any, error) {
	if live != nil && document.MetaString(live, "deletionTimestamp") != "" && !held(object) {
		return object, s.gone(r, object)
	}
	object, err := s.store.put(r.gr(), object, live)
	if err != nil {
		return nil, err
	}
	return object, s.stored(r, object, live)
}

// generateName names a new object that has a prefix only.
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

// createdByUpdate are the kinds that a PUT makes if they are not there.
var createdByUpdate = []string{"ClusterRole", "ClusterRoleBinding", "Endpoints", "Event", "Lease", "LimitRange", "Role", "RoleBinding", "Service"}

// checkExists refuses a new object that is there already, and a change of one that is not.
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

// checkNamespace refuses an object in a namespace that is not there.
func (q *write) checkNamespace(s *Server) error {
	if q.resource.namespaced && s.store.get(namespaces.gr(), key{name: q.namespace}) == nil {
		return apierrors.NewNotFound(namespaces.gr(), q.namespace)
	}
	return nil
}

var namespaces = &resource{version: "v1", kind: "Namespace", plural: "namespaces"}

// checkRevision holds uid and resourceVersion of what is sent to the live object.
func (q *write) checkRevision(live map[string]any) error {
	r := q.resource
	uid, revision := document.MetaString(q.object, "uid"), document.MetaString(q.object, "resourceVersion")
	conflict := func(why string) error { return apierrors.NewConflict(r.gr(), q.name, errors.New(why)) }
	switch {
	case q.verb == predict.Create && revision != "":
		return apierrors.NewInternalError(errors.New("resourceVersion should not be set on objects to be created"))
	case live == nil && q.verb.IsApply() && uid != "":
		return conflict("uid mismatch: the provided object specified uid " + shorten(uid) + ", and no existing object was found")
	case live == nil:
		return nil
	case uid != "" && uid != document.MetaString(live, "uid"):
		return conflict("the uid that was sent is " + shorten(uid) + ", and that of the object " + document.MetaString(live, "uid"))
	case revision != "" && revision != document.MetaString(live, "resourceVersion"):
		return conflict("the object has been modified; please apply your changes to the latest version and try again")
	case revision == "" && q.verb == predict.Update && q.change == nil && (r.custom != nil || r.kind == "CustomResourceDefinition" || r.kind == "Lease"):
		return apierrors.NewInvalid(r.gvk().GroupKind(), q.name, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	}
	return nil
}

// checkFields does what fieldValidation asks for with fields that are not known, or sent
// twice. An apply is refused for them by the merge.
func (s *Server) checkFields(q *write) error {
	if q.validation == metav1.FieldValidationIgnore || q.validation == "" {
		return nil
	}
	bad := q.twice
	r := q.resource
	if r.custom != nil {
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
	} else if s.types.GoForm() != nil && !q.verb.IsApply() {
		_, dropped := s.types.GoForm().Normalise(q.object)
		for _, d := range dropped {
			bad = append(bad, fmt.Sprintf("unknown field %q", strings.TrimPrefix(d.Path.String(), ".")))
		}
	}
	switch {
	case len(bad) == 0:
	case q.validation == metav1.FieldValidationStrict:
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s", r.kind, r.version, r.kind, strings.Join(bad, ", ")))
	default:
		q.warnings = append(q.warnings, bad...)
	}
	return nil
}

// born is a new object with what only a server gives it.
func (s *Server) born(object map[string]any) map[string]any {
	object, metadata := document.WithMetadata(object)
	metadata["uid"] = string(uuid.NewUUID())
	metadata["creationTimestamp"] = s.options.Now().UTC().Format(time.RFC3339)
	return object
}

// validate refuses an object that a server does not store.
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
