// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// inVersion returns a stored object in the version of a resource. The definition of a custom resource
// may have got new defaults since the object was stored, so inVersion sets defaults again.
func (s *Server) inVersion(r *resource, object map[string]any) (map[string]any, error) {
	if object["apiVersion"] == r.apiVersion() && r.custom == nil {
		return object, nil
	}
	t, ok := s.types.Type(r.apiVersion(), r.kind)
	if !ok && r.custom != nil { // the request has removed the last object of a deleted definition
		return withValue(object, []string{"apiVersion"}, r.apiVersion()), nil
	}
	if !ok {
		return nil, notFound()
	}
	converted, _, err := s.predict.Convert(object, r.apiVersion(), t)
	if err == nil {
		converted, _, err = s.predict.Read(converted, t, false, s.options.Now())
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return converted, nil
}

// answer sends an object in the representation that the client accepts.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, code int, res *resource, object map[string]any) error {
	object, err := s.inVersion(res, object)
	if err != nil {
		return err
	}
	form := formOf(r)
	if form == asTable {
		writeJSON(w, code, s.table(res, []map[string]any{object}, metav1.ListMeta{ResourceVersion: document.MetaString(object, "resourceVersion")}, r))
		return nil
	}
	writeJSON(w, code, form.render(object))
	return nil
}

// answerList sends a list of objects in the representation that the client accepts.
func (s *Server) answerList(w http.ResponseWriter, r *http.Request, res *resource, objects []map[string]any, meta metav1.ListMeta) error {
	form := formOf(r)
	items := make([]map[string]any, len(objects))
	for i, object := range objects {
		object, err := s.inVersion(res, object)
		if err != nil {
			return err
		}
		items[i] = object
	}
	if form == asTable {
		writeJSON(w, http.StatusOK, s.table(res, items, meta, r))
		return nil
	}
	list := map[string]any{"apiVersion": res.apiVersion(), "kind": res.list, "metadata": meta, "items": items}
	switch {
	case form == asMetadata:
		list["apiVersion"], list["kind"] = "meta.k8s.io/v1", "PartialObjectMetadataList"
		for i := range items {
			items[i] = form.render(items[i])
		}
	case res.custom == nil:
		// An API server removes these fields when it decodes an object of a built-in kind, and restores
		// them only in a response that is not a list.
		for i := range items {
			items[i] = maps.Clone(items[i])
			delete(items[i], "apiVersion")
			delete(items[i], "kind")
		}
	}
	writeJSON(w, http.StatusOK, list)
	return nil
}

func (s *Server) serveGet(w http.ResponseWriter, r *http.Request, t target) error {
	object := s.store.get(t.resource.gr(), t.key())
	if object == nil {
		return apierrors.NewNotFound(t.resource.gr(), t.name)
	}
	if t.subresource == "scale" {
		object, err := s.inVersion(t.resource, object)
		if err != nil {
			return err
		}
		if path := t.resource.scaling.replicas; t.resource.custom != nil && at(object, steps(path)...) == nil {
			return apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", path))
		}
		writeJSON(w, http.StatusOK, scaleOf(t.resource, object))
		return nil
	}
	return s.answer(w, r, http.StatusOK, t.resource, object)
}

// selection contains the label and field selectors of a request.
type selection struct {
	labels     labels.Selector
	fields     fields.Selector
	selectable []selectableField
}

// parseSelectors parses the selectors of a request.
func parseSelectors(r *http.Request, res *resource) (c selection, err error) {
	q := r.URL.Query()
	if c.labels, err = labels.Parse(q.Get("labelSelector")); err != nil {
		return c, apierrors.NewBadRequest("unable to parse labelSelector: " + truncateForMessage(err.Error()))
	}
	if c.fields, err = fields.ParseSelector(q.Get("fieldSelector")); err != nil {
		return c, apierrors.NewBadRequest("unable to parse fieldSelector: " + truncateForMessage(err.Error()))
	}
	for _, one := range c.fields.Requirements() {
		if err := res.checkSelectable(one.Field); err != nil {
			return c, err
		}
	}
	c.selectable = res.fields()
	return c, nil
}

// matches reports whether the selectors match an object.
func (c *selection) matches(object map[string]any) bool {
	if object == nil {
		return false
	}
	if !c.fields.Empty() && !c.fields.Matches(&selected{object, c.selectable}) {
		return false
	}
	if c.labels.Empty() {
		return true
	}
	all, _ := document.Metadata(object)["labels"].(map[string]any)
	set := labels.Set{}
	for name, v := range all {
		set[name] = text(v)
	}
	return c.labels.Matches(set)
}

// all reports whether the selectors match every object.
func (c *selection) all() bool { return c.labels.Empty() && c.fields.Empty() }

// page is a token that a client sends to get the next page of a list.
type page struct {
	Revision        int64
	Namespace, Name string
}

// listOptions parses the query of a list or watch.
func listOptions(r *http.Request) (o metav1.ListOptions, err error) {
	q := r.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions((*url.Values)(&q), &o, nil); err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	var internal metainternalversion.ListOptions
	if err := metainternalversion.Convert_v1_ListOptions_To_internalversion_ListOptions(&o, &internal, nil); err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	if errs := metainternalvalidation.ValidateListOptions(&internal, true); len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	if o.Continue != "" && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return o, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	return o, nil
}

func (s *Server) serveList(w http.ResponseWriter, r *http.Request, t target) error {
	found, meta, err := s.list(r, &t)
	if err != nil {
		return err
	}
	return s.answerList(w, r, t.resource, found, meta)
}

// list returns the objects that a list request or a deletecollection request selects, and the metadata
// of their list.
func (s *Server) list(r *http.Request, t *target) (found []map[string]any, meta metav1.ListMeta, err error) {
	chosen, err := parseSelectors(r, t.resource)
	if err != nil {
		return nil, meta, err
	}
	o, err := listOptions(r)
	if err != nil {
		return nil, meta, err
	}
	objects, revision := s.store.list(t.resource.gr(), t.namespace)
	if err := checkRevision(&o, revision); err != nil {
		return nil, meta, err
	}
	if o.Continue != "" {
		var from page
		data, err := base64.RawURLEncoding.DecodeString(o.Continue)
		if err == nil {
			err = json.Unmarshal(data, &from)
		}
		if err != nil {
			return nil, meta, apierrors.NewBadRequest("continue key is not valid")
		}
		after := key{from.Namespace, from.Name}
		start, _ := slices.BinarySearchFunc(objects, after, func(object map[string]any, k key) int {
			if keyOf(object).compare(k) <= 0 {
				return -1
			}
			return 1
		})
		objects = objects[start:]
	}
	meta.ResourceVersion = strconv.FormatInt(revision, 10)
	for i, object := range objects {
		if !chosen.matches(object) {
			continue
		}
		if o.Limit > 0 && int64(len(found)) == o.Limit {
			last := keyOf(found[len(found)-1])
			data, err := json.Marshal(page{revision, last.namespace, last.name})
			if err != nil {
				return nil, meta, err
			}
			meta.Continue = base64.RawURLEncoding.EncodeToString(data)
			if left := int64(len(objects) - i); chosen.all() { // with selectors, the number is not known
				meta.RemainingItemCount = &left
			}
			break
		}
		found = append(found, object)
	}
	return found, meta, nil
}

// checkRevision returns an error if a list request requires a revision other than the current one.
// A request for an older revision is allowed if it also accepts newer ones.
func checkRevision(o *metav1.ListOptions, now int64) error {
	if o.ResourceVersion == "" {
		return nil
	}
	wants, err := strconv.ParseInt(o.ResourceVersion, 10, 64)
	switch {
	case err != nil || wants < 0:
		return apierrors.NewBadRequest("Invalid value: " + strconv.Quote(truncateForMessage(o.ResourceVersion)) + ": resourceVersion")
	case wants > now:
		return tooNew(wants, now)
	case o.ResourceVersionMatch == metav1.ResourceVersionMatchExact && wants != now:
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	return nil
}
