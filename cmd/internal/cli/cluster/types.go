// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Documents returns the OpenAPI v3 documents of API versions such as apps/v1. If the cluster has
// no document for version v, absent[v] is the reason. Documents are cached on disk, in files named
// after the hash that the server announces for each document.
func (c *Cluster) Documents(apiVersions []string) (docs []openapi.Document, absent map[string]string, err error) {
	q := request{path: "/openapi/v3"}
	body, problem := c.get(q)
	if problem != nil {
		return nil, nil, c.explain(q, problem)
	}
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(body, &index); err != nil {
		return nil, nil, &manifest.Error{File: c.Host, Message: fmt.Sprintf("/openapi/v3: %v", err)}
	}
	found := make([][]byte, len(apiVersions))
	reasons := make([]string, len(apiVersions))
	problems := make([]*Problem, len(apiVersions))
	Each(len(apiVersions), func(i int) {
		path := prefix(apiVersions[i])
		at, ok := index.Paths[path[1:]]
		if ok {
			found[i], problems[i] = c.document(at.ServerRelativeURL, path)
		}
		if !ok || problems[i] != nil && !problems[i].fatal() {
			reasons[i], problems[i] = c.whyAbsent(apiVersions[i])
		}
	})
	absent = map[string]string{}
	for i, v := range apiVersions {
		switch {
		case problems[i] != nil:
			return nil, nil, c.explain(request{path: prefix(v)}, problems[i])
		case reasons[i] != "":
			absent[v] = reasons[i]
		default:
			docs = append(docs, openapi.Document{Name: "/openapi/v3" + prefix(v), Data: found[i]})
		}
	}
	return docs, absent, nil
}

// whyAbsent returns the reason why the cluster has no document for an API version.
func (c *Cluster) whyAbsent(apiVersion string) (string, *Problem) {
	q := request{path: prefix(apiVersion)}
	_, problem := c.get(q)
	switch {
	case problem == nil:
		return fmt.Sprintf("the cluster serves %s but has no OpenAPI document for it: pass its types with --crd or --openapi", apiVersion), nil
	case problem.fatal():
		return "", problem
	case problem.Code == httpstatus.NotFound:
		return fmt.Sprintf("the cluster does not serve the API version %s", apiVersion), nil
	}
	q.resource.Group, q.resource.Version, _ = strings.Cut(apiVersion, "/")
	return c.describe(q, problem), nil
}

// document returns the OpenAPI document at a URL relative to the server. The URL contains a hash
// of the document. If a file with this hash is in the cache, document returns its content.
// Otherwise, it reads the document from the cluster and caches it. path is the URL path of the API
// version.
func (c *Cluster) document(relative, path string) ([]byte, *Problem) {
	at, err := url.Parse(relative)
	if err != nil {
		return nil, &Problem{Code: httpstatus.NotFound, Message: err.Error()}
	}
	name := c.cacheFile(path, at.Query().Get("hash"))
	if data, err := os.ReadFile(name); name != "" && err == nil && json.Valid(data) {
		return data, nil
	}
	data, problem := c.get(request{path: at.Path, query: at.Query()})
	if problem == nil && name != "" {
		writeCache(name, data)
	}
	return data, problem
}

// cacheFile returns the name of the file that caches a document. It returns "" if the document
// cannot be cached.
func (c *Cluster) cacheFile(path, hash string) string {
	dir := os.Getenv("KUBECACHEDIR") // the variable for kubectl's cache
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	if _, err := hex.DecodeString(hash); err != nil || hash == "" {
		return ""
	}
	host := sha256.Sum256([]byte(c.Host))
	return filepath.Join(dir, "dovetail", "openapi", hex.EncodeToString(host[:8]), strings.NewReplacer("/", "_").Replace(path[1:])+"."+hash[:min(len(hash), 32)]+".json")
}

// writeCache writes a document to its cache file and removes the files of older versions. It
// ignores errors, because the next run can read the document from the cluster again.
func writeCache(name string, data []byte) {
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	base, _, _ := strings.Cut(filepath.Base(name), ".json")
	base = strings.TrimSuffix(base, filepath.Ext(base))
	older, _ := filepath.Glob(filepath.Join(filepath.Dir(name), base+".*.json")) // the pattern is valid
	if wholefile.Write(name, data, wholefile.ForOwner) != nil {
		return
	}
	for _, o := range older {
		if o != name && len(strings.TrimPrefix(filepath.Base(o), base+".")) <= len("0123456789abcdef0123456789abcdef.json") {
			_ = os.Remove(o) // the next write tries again to remove it
		}
	}
}

// definitionsResource describes the resource with which the client reads
// CustomResourceDefinitions.
var definitionsResource = Resource{Group: "apiextensions.k8s.io", Version: "v1", Name: "customresourcedefinitions", Kind: "CustomResourceDefinition"}

// Definition returns the CustomResourceDefinition of a resource as JSON. It returns nil if the
// resource has none, for example because it belongs to an aggregated API. If the definition cannot
// be read, unreadable explains why. The error reports a problem with the whole cluster.
func (c *Cluster) Definition(group, resource string) (doc []byte, unreadable string, err error) {
	name := resource + "." + group
	q := request{path: definitionsResource.path("", name), resource: definitionsResource, name: name}
	doc, problem := c.get(q)
	switch {
	case problem == nil:
		return doc, "", nil
	case problem.Code == httpstatus.NotFound:
		return nil, "", nil
	case problem.fatal():
		return nil, "", c.explain(q, problem)
	}
	return nil, c.describe(q, problem), nil
}
