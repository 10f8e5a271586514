// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Cluster is a fake API server that stores ConfigMaps, Secrets and Deployments. It answers the
// requests that commands send, and merges objects with the engine of this repository. Tests in
// test/cluster use a real server instead.
type Cluster struct {
	server *httptest.Server
	merge  *fieldmanager.FieldManager
	mu     sync.Mutex
	// objects holds the stored objects by URL path.
	objects map[string]map[string]any
	version int
	// Requests lists the requests so far, as method and URL path. A question mark at the end
	// marks a dry run.
	Requests []string
	// Refuse is called before each request that changes something, while the cluster is locked. If
	// it returns a code, the cluster rejects the request with this HTTP status, reason and
	// message. It returns 0 to accept the request. Refuse may change the objects of the cluster.
	Refuse func(c *Cluster, q *http.Request, path string, dryRun bool) (code int, reason, message string)
	// kubernetes is the Kubernetes version of the cluster, such as v1.36.4.
	kubernetes string
	// Mutate changes an object before it is stored, as a mutating webhook does.
	Mutate func(object map[string]any)
}

// NewCluster starts a cluster with the objects in a manifest, and writes a kubeconfig for the
// cluster. In error messages, file is the name of the manifest. The caller must call Close.
func NewCluster(kubeconfig, file string, text []byte) (*Cluster, error) {
	catalog := openapi.Builtin(openapi.Options{})
	merge, err := fieldmanager.New(fieldmanager.Options{Types: func(apiVersion, kind string) (t typed.ParseableType, err error) {
		t, ok := catalog.Type(apiVersion, kind)
		if !ok {
			err = fmt.Errorf("no type for %s %s", apiVersion, kind)
		}
		return t, err
	}})
	if err != nil {
		return nil, err
	}
	c := &Cluster{kubernetes: "v1.36.4", merge: merge, objects: map[string]map[string]any{}, version: 100}
	objects, err := manifest.Read(file, text)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		c.store(c.path(o.Content), maps.Clone(o.Content))
	}
	c.server = httptest.NewServer(c)
	config := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: test, clusters: [{name: test, cluster: {server: %q}}], contexts: [{name: test, context: {cluster: test, user: ann, namespace: shop}}, {name: shop, context: {cluster: test, user: ann, namespace: shop}}], users: [{name: ann, user: {token: t}}]}`, c.server.URL)
	return c, os.WriteFile(kubeconfig, []byte(config), 0o600)
}

// Close stops the cluster.
func (c *Cluster) Close() { c.server.CloseClientConnections(); c.server.Close() }

// Unreadable is the name of a Namespace that clients have no permission to read. All other
// Namespaces seem to exist, and have no labels.
const Unreadable = "unreadable"

// kinds lists the supported kinds, with the URL path of the API version, the API version, and the
// plural resource name.
var kinds = map[string]struct{ root, apiVersion, plural string }{
	"ConfigMap":  {"/api/v1", "v1", "configmaps"},
	"Secret":     {"/api/v1", "v1", "secrets"},
	"Deployment": {"/apis/apps/v1", "apps/v1", "deployments"},
}

func (c *Cluster) path(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	kind, _ := object["kind"].(string)
	if metadata["namespace"] == nil {
		metadata["namespace"] = "shop"
	}
	return fmt.Sprintf("%s/namespaces/%v/%s/%v", kinds[kind].root, metadata["namespace"], kinds[kind].plural, metadata["name"])
}

// Get returns the object at a URL path, or nil.
func (c *Cluster) Get(path string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[path]
}

// Update changes an object through an update by manager, as a controller does. Call it from
// Refuse or Locked, while the cluster is locked.
func (c *Cluster) Update(path, manager string, change func(object map[string]any)) {
	object := deepCopy(c.objects[path])
	change(object)
	if r, err := c.merge.Update(c.objects[path], object, manager); err == nil {
		c.store(path, r.Object)
	}
}

// Put stores an object. Call it from Refuse or Locked, while the cluster is locked.
func (c *Cluster) Put(object map[string]any) { c.store(c.path(object), object) }

// Locked calls f while the cluster is locked. The cluster answers no requests until f returns.
func (c *Cluster) Locked(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *Cluster) store(path string, object map[string]any) {
	c.version++
	object = deepCopy(object)
	metadata := object["metadata"].(map[string]any)
	metadata["resourceVersion"] = fmt.Sprint(c.version)
	if metadata["uid"] == nil {
		metadata["uid"] = fmt.Sprintf("uid-%d", c.version)
	}
	c.objects[path] = object
}

func deepCopy(object map[string]any) map[string]any {
	text, _ := json.Marshal(object) // an object that was decoded from JSON can be encoded
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	return out
}

// SetVersion changes the Kubernetes version of the cluster, for example to v1.36.4.
func (c *Cluster) SetVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kubernetes = version
}

// ServeHTTP answers a request.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body, _ := io.ReadAll(q.Body) // incomplete JSON is rejected below
	q.Body = io.NopCloser(bytes.NewReader(body))
	dryRun := q.URL.Query().Get("dryRun") != ""
	if q.Method == http.MethodDelete { // in a delete request, options in the body replace the query parameters
		dryRun = bytes.Contains(body, []byte(`"dryRun":["All"]`))
	}
	request := q.Method + " " + q.URL.Path
	if dryRun {
		request += "?"
	}
	c.Requests = append(c.Requests, request)
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	refuse := func(code int, reason, message string) {
		w.WriteHeader(code)
		answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message})
	}
	path := q.URL.Path
	if q.Method != http.MethodGet {
		if c.Refuse != nil {
			if code, reason, message := c.Refuse(c, q, path, dryRun); code != 0 {
				refuse(code, reason, message)
				return
			}
		}
		object, code, message := c.change(q, path)
		if code != 0 {
			refuse(code, http.StatusText(code), message)
			return
		}
		if c.Mutate != nil && object != nil {
			object = deepCopy(object)
			c.Mutate(object)
		}
		switch {
		case object == nil:
			if !dryRun {
				delete(c.objects, path)
			}
			answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Success"})
		case dryRun:
			answer(object)
		default:
			c.store(path, object)
			answer(c.objects[path])
		}
		return
	}
	switch path {
	case "/version":
		answer(map[string]any{"gitVersion": c.kubernetes})
	case "/api":
		answer(discovery("", "v1"))
	case "/apis":
		answer(discovery("apps", "apps/v1"))
	case "/openapi/v3":
		answer(map[string]any{"paths": map[string]any{
			"api/v1":       map[string]any{"serverRelativeURL": "/openapi/v3/api/v1?hash=AA"},
			"apis/apps/v1": map[string]any{"serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=AA"},
		}})
	case "/openapi/v3/api/v1":
		answer(document("v1"))
	case "/openapi/v3/apis/apps/v1":
		answer(document("apps/v1"))
	default:
		if name, ok := strings.CutPrefix(path, "/api/v1/namespaces/"); ok && !strings.Contains(name, "/") {
			if name == Unreadable {
				refuse(http.StatusForbidden, "Forbidden", fmt.Sprintf(`namespaces %q is forbidden: User "ann" cannot get resource "namespaces"`, name))
				return
			}
			answer(map[string]any{"metadata": map[string]any{"name": name}})
			return
		}
		if object := c.objects[path]; object != nil {
			answer(object)
			return
		}
		list := c.list(path)
		if list == nil {
			refuse(http.StatusNotFound, "NotFound", "not found")
			return
		}
		answer(map[string]any{"kind": "List", "apiVersion": "v1", "metadata": map[string]any{}, "items": list})
	}
}

// list returns the objects of a resource, whose URL path is given. It returns nil if there is no
// such resource.
func (c *Cluster) list(path string) []any {
	for _, k := range kinds {
		rest, inVersion := strings.CutPrefix(path, k.root)
		namespace, ok := strings.CutSuffix(rest, "/"+k.plural)
		if !inVersion || !ok {
			continue
		}
		all := []any{}
		for _, p := range slices.Sorted(maps.Keys(c.objects)) {
			if strings.HasPrefix(p, k.root+namespace+"/") && strings.Contains(p, "/"+k.plural+"/") {
				all = append(all, c.objects[p])
			}
		}
		return all
	}
	return nil
}

// change returns the object that a request produces, or nil for a delete. If the request is
// rejected, code is its HTTP status. Otherwise, code is 0.
func (c *Cluster) change(q *http.Request, path string) (object map[string]any, code int, message string) {
	body, err := io.ReadAll(q.Body)
	var sent map[string]any
	if err == nil {
		err = json.Unmarshal(body, &sent)
	}
	if err != nil {
		return nil, http.StatusBadRequest, err.Error()
	}
	live, manager := c.objects[path], q.URL.Query().Get("fieldManager")
	outdated := func(metadata any) bool {
		m, _ := metadata.(map[string]any)
		is, _ := live["metadata"].(map[string]any)
		for _, name := range []string{"resourceVersion", "uid"} {
			if m[name] != nil && m[name] != is[name] {
				return true
			}
		}
		return false
	}
	const modified = "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again"
	switch kind := q.Header.Get("Content-Type"); {
	case live == nil && !strings.HasPrefix(kind, "application/apply-patch"):
		return nil, http.StatusNotFound, "not found"
	case q.Method == http.MethodDelete:
		if outdated(sent["preconditions"]) {
			return nil, http.StatusConflict, modified
		}
		return nil, 0, ""
	case live != nil && outdated(sent["metadata"]):
		return nil, http.StatusConflict, modified
	case strings.HasPrefix(kind, "application/merge-patch"):
		r, err := c.merge.Update(live, mergePatch(deepCopy(live), sent).(map[string]any), manager)
		if err != nil {
			return nil, http.StatusUnprocessableEntity, err.Error()
		}
		return deepCopy(r.Object), 0, ""
	}
	r, err := c.merge.Apply(live, sent, manager, q.URL.Query().Get("force") == "true")
	var conflict *fieldmanager.ConflictError
	switch {
	case errors.As(err, &conflict):
		return nil, http.StatusConflict, fmt.Sprintf("Apply failed with %d conflict", len(conflict.Conflicts))
	case err != nil:
		return nil, http.StatusInternalServerError, err.Error()
	}
	return deepCopy(r.Object), 0, ""
}

// mergePatch applies a JSON merge patch (RFC 7386) to v. It may change v.
func mergePatch(v, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	m, ok := v.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	for name, x := range p {
		if x == nil {
			delete(m, name)
		} else {
			m[name] = mergePatch(m[name], x)
		}
	}
	return m
}

// discovery returns the discovery document of an API version.
func discovery(group, apiVersion string) any {
	var resources []any
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if k := kinds[kind]; k.apiVersion == apiVersion {
			resources = append(resources, map[string]any{
				"resource": k.plural, "scope": "Namespaced", "singularResource": strings.ToLower(kind),
				"responseKind": map[string]any{"kind": kind}, "verbs": []any{"get", "list", "patch"},
			})
		}
	}
	return map[string]any{"kind": "APIGroupDiscoveryList", "items": []any{map[string]any{
		"metadata": map[string]any{"name": group}, "versions": []any{map[string]any{"version": "v1", "resources": resources}},
	}}}
}

// document returns the OpenAPI document of an API version.
func document(apiVersion string) any {
	const metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	text := map[string]any{"type": "string"}
	texts := map[string]any{"type": "object", "additionalProperties": text}
	free := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	schemas, paths := map[string]any{metadata: map[string]any{"type": "object", "properties": map[string]any{
		"name": text, "namespace": text, "uid": text, "resourceVersion": text, "labels": texts, "annotations": texts,
	}}}, map[string]any{}
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group = ""
	}
	for kind, k := range kinds {
		if k.apiVersion != apiVersion {
			continue
		}
		gvk := map[string]any{"group": group, "version": "v1", "kind": kind}
		schemas["io.k8s.api."+cmp.Or(group, "core")+".v1."+kind] = map[string]any{
			"type": "object", "x-kubernetes-group-version-kind": []any{gvk}, "properties": map[string]any{
				"apiVersion": text, "kind": text, "data": texts, "stringData": texts, "type": text, "spec": free, "status": free,
				"metadata": map[string]any{"$ref": "#/components/schemas/" + metadata},
			},
		}
		paths[k.root+"/namespaces/{namespace}/"+k.plural+"/{name}"] = map[string]any{"get": map[string]any{"x-kubernetes-group-version-kind": gvk}}
	}
	return map[string]any{"openapi": "3.0.0", "paths": paths, "components": map[string]any{"schemas": schemas}}
}
