// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// documents caches OpenAPI documents until the served resources change.
type documents struct {
	mu   sync.Mutex
	made map[string][]byte
}

func (d *documents) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made = nil
}

// get returns a document. The first call for a document calls create to build it.
func (d *documents) get(name string, create func() ([]byte, error)) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if data, ok := d.made[name]; ok {
		return data, nil
	}
	data, err := create()
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if d.made == nil {
		d.made = map[string][]byte{}
	}
	d.made[name] = data
	return data, nil
}

const protobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// serveOpenAPI serves the v2 document, the list of v3 documents, and the v3 document of
// each group version.
func (s *Server) serveOpenAPI(w http.ResponseWriter, r *http.Request, parts []string) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(r)
	}
	var data []byte
	var err error
	switch path := strings.Join(parts, "/"); {
	case path == "v2":
		if !strings.Contains(strings.ReplaceAll(r.Header.Get("Accept"), "v2@v1.0", "v2.v1.0"), protobufV2) {
			data, err = s.documents.get("v2", func() ([]byte, error) { return s.documentV2(s.resources()) })
			break
		}
		w.Header().Set("Content-Type", protobufV2)
		data, err = s.documents.get("v2 protobuf", func() ([]byte, error) {
			document, err := s.documentV2(s.resources())
			if err != nil {
				return nil, err
			}
			return inProtobuf(document)
		})
	case path == "v3":
		data, err = s.documents.get("v3", func() ([]byte, error) { return s.groupsV3(s.resources()) })
	case parts[0] == "v3":
		name := strings.TrimPrefix(path, "v3/")
		group, version := groupVersion(name)
		if len(s.resources().inGroupVersion(group, version)) == 0 {
			http.NotFound(w, r)
			return nil
		}
		data, err = s.documents.get("v3 "+name, func() ([]byte, error) { return s.documentV3(s.resources().inGroupVersion(group, version)) })
	default:
		http.NotFound(w, r)
		return nil
	}
	if err != nil {
		return err
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Write(data) // the client may have closed the connection
	return nil
}

// groupVersion returns the group and version in a path below openapi/v3, which is api/v1
// or apis/GROUP/VERSION.
func groupVersion(path string) (group, version string) {
	switch parts := strings.Split(path, "/"); {
	case len(parts) == 2 && parts[0] == "api":
		return "", parts[1]
	case len(parts) == 3 && parts[0] == "apis" && parts[1] != "":
		return parts[1], parts[2]
	}
	return "", ""
}

// pathOf returns the path of a resource's group version, such as apis/apps/v1.
func pathOf(r *resource) string {
	if r.group == "" {
		return "api/" + r.version
	}
	return "apis/" + r.group + "/" + r.version
}

// groupsV3 returns the list of v3 documents. The URL of each document contains its hash.
func (s *Server) groupsV3(known *resources) ([]byte, error) {
	paths := map[string]any{}
	for _, group := range known.groups() {
		for _, version := range known.versions(group) {
			all := known.inGroupVersion(group, version)
			sum := sha256.New()
			for _, r := range all {
				json.NewEncoder(sum).Encode([]any{s.types.Release(), r.plural, r.kind}) // writing to a hash never fails
				if r.custom != nil {
					json.NewEncoder(sum).Encode(r.custom.Object().Content["spec"]) // encoding data that was decoded from JSON never fails
				}
			}
			path := pathOf(all[0])
			paths[path] = map[string]any{"serverRelativeURL": "/openapi/v3/" + path + "?hash=" + strings.ToUpper(hex.EncodeToString(sum.Sum(nil)))}
		}
	}
	return json.Marshal(map[string]any{"paths": paths})
}

func (s *Server) documentV3(all []*resource) ([]byte, error) {
	d := &schemas{refs: "#/components/schemas/", made: map[string]any{}}
	paths := map[string]any{}
	for _, r := range all {
		s.addSchema(d, r)
		maps.Copy(paths, pathsOf(r, func(name, kind string) map[string]any {
			return map[string]any{"name": name, "in": "query", "schema": map[string]any{"type": kind}}
		}))
	}
	return json.Marshal(map[string]any{
		"openapi": "3.0.0", "info": s.info(), "paths": paths, "components": map[string]any{"schemas": d.made},
	})
}

func (s *Server) documentV2(known *resources) ([]byte, error) {
	d := &schemas{refs: "#/definitions/", made: map[string]any{}}
	paths := map[string]any{}
	for _, r := range known.all {
		s.addSchema(d, r)
		maps.Copy(paths, pathsOf(r, func(name, kind string) map[string]any {
			return map[string]any{"name": name, "in": "query", "type": kind}
		}))
	}
	return json.Marshal(map[string]any{"swagger": "2.0", "info": s.info(), "paths": paths, "definitions": d.made})
}

func inProtobuf(document []byte) ([]byte, error) {
	parsed, err := openapi_v2.ParseDocument(document)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(parsed)
}

func (s *Server) info() map[string]any {
	return map[string]any{"title": "Kubernetes", "version": s.types.Release()}
}

// addSchema adds the schema of a resource and all schemas that it refers to.
func (s *Server) addSchema(d *schemas, r *resource) {
	t, ok := s.types.Type(r.apiVersion(), r.kind)
	k, _ := s.types.Kind(r.apiVersion(), r.kind)
	if !ok {
		return
	}
	d.add(t.Schema)
	if r.custom != nil {
		d.made[k.Type] = d.custom(r)
	}
	if root, ok := d.made[k.Type].(map[string]any); ok {
		kinds, _ := root["x-kubernetes-group-version-kind"].([]any)
		root["x-kubernetes-group-version-kind"] = append(kinds, kindOf(r))
	}
}

func kindOf(r *resource) map[string]any {
	return map[string]any{"group": r.group, "version": r.version, "kind": r.kind}
}

// pathsOf returns the URL paths of a resource, with the operations that clients look for
// in OpenAPI documents.
func pathsOf(r *resource, parameter func(name, kind string) map[string]any) map[string]any {
	path := "/" + pathOf(r) + "/"
	if r.namespaced {
		path += "namespaces/{namespace}/"
	}
	operation := func(action string, parameters ...string) map[string]any {
		all := []any{}
		for _, name := range parameters {
			kind := "string"
			if name == "force" {
				kind = "boolean"
			}
			all = append(all, parameter(name, kind))
		}
		return map[string]any{
			"parameters": all, "responses": map[string]any{"200": map[string]any{"description": "OK"}},
			"x-kubernetes-action": action, "x-kubernetes-group-version-kind": kindOf(r),
		}
	}
	one := map[string]any{
		"get": operation("get"), "delete": operation("delete", "dryRun", "propagationPolicy"),
		"put":   operation("put", "dryRun", "fieldManager", "fieldValidation"),
		"patch": operation("patch", "dryRun", "fieldManager", "fieldValidation", "force"),
	}
	list := map[string]any{
		"get": operation("list", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "watch"), "post": operation("post", "dryRun", "fieldManager", "fieldValidation"),
	}
	if slices.Contains(verbsOf(r), "deletecollection") {
		list["delete"] = operation("deletecollection", "dryRun")
	}
	all := map[string]any{
		path + r.plural:             list,
		path + r.plural + "/{name}": one,
	}
	if r.status {
		part := maps.Clone(one)
		delete(part, "delete")
		all[path+r.plural+"/{name}/status"] = part
	}
	for path, operations := range all { // add the parameters that the path contains in braces
		var names []any
		for name := range strings.SplitSeq(path, "{") {
			if name, _, ok := strings.Cut(name, "}"); ok {
				p := parameter(name, "string")
				p["in"], p["required"] = "path", true
				names = append(names, p)
			}
		}
		if with := maps.Clone(operations.(map[string]any)); names != nil {
			with["parameters"] = names
			all[path] = with
		}
	}
	return all
}
