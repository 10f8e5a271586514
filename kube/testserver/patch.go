// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// maxOperations is the maximum number of operations in a JSON patch. API servers have the
// same limit.
const maxOperations = 10_000

// init limits the data that "copy" operations of a JSON patch may create. API servers have the same
// limit. The limit is a variable of the patch library, so it applies to the whole program.
func init() { jsonpatch.AccumulatedCopySizeLimit = maxBody }

func (s *Server) servePatch(w http.ResponseWriter, r *http.Request, t target) error {
	kind := types.PatchType(mediaType(r))
	accepted := []string{string(types.JSONPatchType), string(types.MergePatchType), string(types.StrategicMergePatchType), string(types.ApplyYAMLPatchType)}
	if t.resource.custom != nil {
		accepted = []string{accepted[0], accepted[1], accepted[3]}
	}
	known := false
	for _, a := range accepted {
		known = known || a == string(kind)
	}
	if !known {
		return unsupported(accepted...)
	}
	o, err := writeOptions(r, kind)
	if err != nil {
		return err
	}
	data, err := body(r)
	if err != nil {
		return err
	}
	q := &write{target: t, options: o}
	if kind == types.ApplyYAMLPatchType {
		q.verb = predict.Apply
		if o.force {
			q.verb = predict.ApplyForce
		}
		if q.object, q.duplicates, err = decodeYAML(data); err != nil {
			return err
		}
		if t.subresource == "scale" {
			return s.answerScale(w, q)
		}
		return s.answerWrite(w, r, q)
	}
	q.patch = true
	change, err := q.patcher(kind, data)
	if err != nil {
		return err
	}
	if t.subresource == "scale" {
		return s.patchScale(w, q, change)
	}
	q.verb, q.change = predict.Update, change
	return s.answerWrite(w, r, q)
}

// changed computes the new object from the live object and the patch of a request.
func (s *Server) changed(q *write, live map[string]any) error {
	object, err := s.inVersion(q.resource, live)
	if err != nil {
		return err
	}
	if q.object, err = q.change(object); err != nil {
		return err
	}
	return s.readObject(q)
}

// patcher returns a function that applies a patch to a live object. The function does not
// modify the live object. patcher also checks the patch for duplicate fields, and a JSON patch for
// unknown fields.
func (q *write) patcher(kind types.PatchType, data []byte) (change func(map[string]any) (map[string]any, error), err error) {
	if kind == types.JSONPatchType {
		if err := q.checkOperations(data); err != nil {
			return nil, err
		}
		return jsonPatcher(data)
	}
	patch, duplicates, err := decodeJSON(data)
	if err != nil {
		return nil, err
	}
	q.duplicates = duplicates
	if kind == types.MergePatchType {
		return patchJSON(func(live []byte) ([]byte, error) {
			after, err := jsonpatch.MergePatch(live, data)
			if err != nil {
				return nil, apierrors.NewBadRequest(truncateForMessage(err.Error()))
			}
			return after, nil
		}), nil
	}
	example, err := goTypes().New(q.bodyKind())
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", schema.GroupResource{}, "", "strategic merge patches are not supported for this kind", 0, false)
	}
	return func(live map[string]any) (_ map[string]any, err error) {
		merged, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(live), runtime.DeepCopyJSON(patch), example)
		if err != nil {
			return nil, strategicError(err)
		}
		return merged, nil
	}, nil
}

// strategicError returns the error that a server sends if a strategic merge patch cannot be applied.
func strategicError(err error) error {
	message := truncateForMessage(err.Error())
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return apierrors.NewBadRequest(message)
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", message, 0, false)
	}
	return errors.New(message)
}

// operation is an operation in a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// checkOperations checks a JSON patch for unknown and duplicate fields. If the request ignores such
// fields, checkOperations does nothing.
func (q *write) checkOperations(data []byte) error {
	if q.ignoresFields() {
		return nil
	}
	var all []operation
	found, err := kjson.UnmarshalStrict(data, &all)
	if err != nil {
		return apierrors.NewBadRequest("error decoding patch: " + truncateForMessage(err.Error()))
	}
	for _, err := range found {
		q.duplicates = append(q.duplicates, "json patch "+err.Error())
	}
	return nil
}

func jsonPatcher(data []byte) (func(map[string]any) (map[string]any, error), error) {
	patch, err := jsonpatch.DecodePatch(data)
	if err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + truncateForMessage(err.Error()))
	}
	if len(patch) > maxOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(patch)))
	}
	return patchJSON(func(live []byte) ([]byte, error) {
		after, err := patch.Apply(live)
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", truncateForMessage(err.Error()), 0, false)
		}
		return after, nil
	}), nil
}

// patchJSON returns a function that applies a patch of JSON text to an object.
func patchJSON(patch func(live []byte) ([]byte, error)) func(map[string]any) (map[string]any, error) {
	return func(live map[string]any) (map[string]any, error) {
		before, err := json.Marshal(live)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		after, err := patch(before)
		if err != nil {
			return nil, err
		}
		object, _, err := decodeJSON(after)
		return object, err
	}
}
