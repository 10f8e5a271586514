// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// body reads the body of a request.
func body(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", large.Limit))
	}
	if err != nil {
		return nil, apierrors.NewBadRequest("the body cannot be read: " + err.Error())
	}
	return data, nil
}

// mediaType returns the media type of the request body, which is JSON by default.
func mediaType(r *http.Request) string {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return cmp.Or(r.Header.Get("Content-Type"), "application/json")
	}
	return t
}

func unsupported(accepted ...string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(accepted, ", "),
	}}
}

// decodeObject decodes an object. duplicates has an error message for each duplicate field.
func decodeObject(data []byte, media string) (object map[string]any, duplicates []string, err error) {
	switch media {
	case "application/json":
		return decodeJSON(data)
	case "application/yaml":
		return decodeYAML(data)
	case runtime.ContentTypeProtobuf:
		object, err = decodeProtobuf(data)
		return object, nil, err
	}
	return nil, nil, unsupported("application/json", "application/yaml", runtime.ContentTypeProtobuf)
}

func decodeJSON(data []byte) (object map[string]any, duplicates []string, err error) {
	strict, err := kjson.UnmarshalStrict(data, &object)
	if err == nil && object == nil {
		err = errors.New("want an object")
	}
	if err != nil {
		return nil, nil, apierrors.NewBadRequest("the object provided is unrecognized: " + truncateForMessage(err.Error()))
	}
	for _, err := range strict {
		duplicates = append(duplicates, err.Error())
	}
	return object, duplicates, nil
}

func decodeYAML(data []byte) (object map[string]any, duplicates []string, err error) {
	plain, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest("error decoding YAML: " + truncateForMessage(err.Error()))
	}
	if _, err := yaml.YAMLToJSONStrict(data); err != nil {
		duplicates = []string{"error converting YAML to JSON: " + truncateForMessage(err.Error())}
	}
	object, _, err = decodeJSON(plain)
	return object, duplicates, err
}

// decodeProtobuf decodes an object of a built-in kind from protocol buffers.
func decodeProtobuf(data []byte) (map[string]any, error) {
	scheme := goTypes()
	decoded, gvk, err := protobuf.NewSerializer(scheme, scheme).Decode(data, nil, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(truncateForMessage(err.Error()))
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(decoded)
	if err != nil {
		return nil, apierrors.NewBadRequest(truncateForMessage(err.Error()))
	}
	object["apiVersion"], object["kind"] = gvk.GroupVersion().String(), gvk.Kind
	return object, nil
}

// checkKind checks that the object of a request has the kind that the URL path specifies. It
// fills in a missing apiVersion or kind, and returns the resulting object.
func checkKind(q *write) (map[string]any, error) {
	apiVersion, kind := q.bodyKind().ToAPIVersionAndKind()
	givenVersion, givenKind := textOr(q.object["apiVersion"], apiVersion), textOr(q.object["kind"], kind)
	switch {
	case givenVersion == apiVersion && givenKind == kind:
	case q.patch:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the patched object is of %s, Kind=%s: want %s, Kind=%s", givenVersion, givenKind, apiVersion, kind))
	case givenKind == kind:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", givenVersion, apiVersion))
	default:
		version := givenVersion[strings.Index(givenVersion, "/")+1:]
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: the path of the request is for %s, Kind=%s", givenKind, version, kind, apiVersion, kind))
	}
	object := document.Shallow(q.object)
	object["apiVersion"], object["kind"] = apiVersion, kind
	return object, nil
}

// textOr returns v as text for messages, or fallback if v is nil or empty.
func textOr(v any, fallback string) string {
	if v == nil || v == "" {
		return fallback
	}
	return truncateForMessage(fmt.Sprint(v))
}

// checkTarget checks that an object matches the URL path of its request. It fills in a
// missing name or namespace from the path, and returns the resulting object.
func checkTarget(object map[string]any, t *target) (map[string]any, error) {
	r := t.resource
	if v, there := object["metadata"]; there && v != nil && document.Metadata(object) == nil {
		return nil, apierrors.NewBadRequest("metadata: want an object")
	}
	object, metadata := document.WithMetadata(object)
	for _, name := range []string{"name", "namespace", "generateName", "uid", "resourceVersion"} {
		if v, there := metadata[name]; there && v != nil {
			if _, ok := v.(string); !ok {
				return nil, apierrors.NewBadRequest("metadata." + name + ": want a string")
			}
		}
	}
	if namespace := text(metadata["namespace"]); r.namespaced && namespace == "" {
		metadata["namespace"] = t.namespace
	} else if r.namespaced && namespace != t.namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	switch name := text(metadata["name"]); {
	case t.name == "":
	case name == "":
		metadata["name"] = t.name
	case name != t.name:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", truncateForMessage(name), truncateForMessage(t.name)))
	}
	return object, nil
}

// options contains the query options of a create, a replace or a patch.
type options struct {
	dryRun     bool
	manager    string
	force      bool
	validation string
}

// writeOptions parses the query of a create, a replace or a patch. The argument patch is the type of
// the patch, or "" for a create or a replace.
func writeOptions(r *http.Request, patch types.PatchType) (options, error) {
	q := r.URL.Query()
	var said metav1.PatchOptions
	if err := metav1.Convert_url_Values_To_v1_PatchOptions((*url.Values)(&q), &said, nil); err != nil {
		return options{}, apierrors.NewBadRequest(err.Error())
	}
	var errs field.ErrorList
	kind := "PatchOptions"
	switch {
	case patch != "":
		errs = metavalidation.ValidatePatchOptions(&said, patch)
	case r.Method == http.MethodPost:
		kind = "CreateOptions"
		errs = metavalidation.ValidateCreateOptions(&metav1.CreateOptions{DryRun: said.DryRun, FieldManager: said.FieldManager, FieldValidation: said.FieldValidation})
	default:
		kind = "UpdateOptions"
		errs = metavalidation.ValidateUpdateOptions(&metav1.UpdateOptions{DryRun: said.DryRun, FieldManager: said.FieldManager, FieldValidation: said.FieldValidation})
	}
	if len(errs) > 0 {
		return options{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
	}
	return options{
		dryRun: len(said.DryRun) > 0, manager: cmp.Or(said.FieldManager, managerOf(r.UserAgent())),
		force: said.Force != nil && *said.Force, validation: cmp.Or(said.FieldValidation, metav1.FieldValidationWarn),
	}, nil
}

// managerOf returns the field manager of a client that does not specify one. It is derived from the
// user agent, as in API servers.
func managerOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 128 {
		name = string(runes[:128])
	}
	return cmp.Or(name, "unknown")
}
