// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// maxOperations is the maximum number of operations in a JSON patch. API servers have the
// same limit.
const maxOperations = 10_000

// This limits the data that "copy" operations of a JSON patch may create. API servers have the same
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
	change, duplicates, err := patcher(kind, data, t.bodyKind())
	if err != nil {
		return err
	}
	q.duplicates, q.patch = duplicates, true
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
// modify the live object. duplicates lists the fields that the patch contains twice.
func patcher(kind types.PatchType, data []byte, gvk schema.GroupVersionKind) (change func(map[string]any) (map[string]any, error), duplicates []string, err error) {
	if kind == types.JSONPatchType {
		change, err = jsonPatcher(data)
		return change, nil, err
	}
	patch, duplicates, err := decodeJSON(data)
	if err != nil {
		return nil, nil, err
	}
	if kind == types.MergePatchType {
		return func(live map[string]any) (map[string]any, error) {
			return mergePatch(live, patch).(map[string]any), nil
		}, duplicates, nil
	}
	example, err := goTypes().New(gvk)
	if err != nil {
		return nil, nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", schema.GroupResource{}, "", "strategic merge patches are not supported for this kind", 0, false)
	}
	return func(live map[string]any) (_ map[string]any, err error) {
		merged, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(live), runtime.DeepCopyJSON(patch), example)
		if err != nil {
			return nil, apierrors.NewBadRequest(truncateForMessage(err.Error()))
		}
		return merged, nil
	}, duplicates, nil
}

func jsonPatcher(data []byte) (func(map[string]any) (map[string]any, error), error) {
	patch, err := jsonpatch.DecodePatch(data)
	if err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + truncateForMessage(err.Error()))
	}
	if len(patch) > maxOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(patch)))
	}
	return func(live map[string]any) (map[string]any, error) {
		before, err := json.Marshal(live)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		after, err := patch.Apply(before)
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", truncateForMessage(err.Error()), 0, false)
		}
		object, _, err := decodeJSON(after)
		return object, err
	}, nil
}

// mergePatch applies a merge patch (RFC 7396). It modifies neither argument.
func mergePatch(live, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	was, _ := live.(map[string]any)
	after := make(map[string]any, len(was)+len(changes))
	for name, v := range was {
		after[name] = v
	}
	for name, v := range changes {
		if v == nil {
			delete(after, name)
		} else {
			after[name] = mergePatch(after[name], v)
		}
	}
	return after
}
