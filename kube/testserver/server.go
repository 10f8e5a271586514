// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Options configures a Server. The zero value selects the newest release that is not an alpha or a
// beta.
type Options struct {
	// Release is the Kubernetes release of the server, such as 1.37. openapi.Releases lists
	// the possible releases. The default is openapi.Release.
	Release string
	// Partial allows a release for which Dovetail lacks some data; see openapi.Missing. The
	// server then works without this data. For example, it may set no defaults.
	Partial bool
	// Native, if not nil, validates objects of built-in kinds with the release's own code. Use
	// a native.Engine of the same release, and close it after the server. If Native is nil,
	// the server uses the simple rules of package predict.
	Native predict.Native
	// PodSecurity, if not nil, checks Pods according to the labels of their Namespaces. Use an
	// Evaluator of package kube/policy/podsecurity. If PodSecurity is nil, Pods are not
	// checked.
	PodSecurity predict.PodSecurity
	// DeclarativeDefaults implements the proposal KEP-1929: merges and conflicts take the defaults
	// of the schema into account, and null means the default. No released API server does this.
	DeclarativeDefaults bool
	// ImmutabilityMarkers implements the proposal KEP-1101: the server stores, publishes and
	// enforces the immutability markers in CustomResourceDefinitions, such as
	// x-kubernetes-immutable. Released API servers drop the markers.
	ImmutabilityMarkers bool
	// Definitions contains the CustomResourceDefinitions that exist from the start, in YAML or
	// JSON. Each element contains one or more documents.
	Definitions [][]byte
	// Token, if not empty, is the bearer token that each request must send (Authorization:
	// Bearer). Only /healthz, /livez, /readyz and /version are open to everyone.
	Token string
	// File, if not empty, is the file that keeps the objects. The server starts with the
	// objects in the file, and writes each change to the file before it responds to the
	// request. If the file does not exist, the server creates it. Only one server can use a
	// file at a time. The server locks it with the file FILE.lock, and New fails if another
	// server uses it. The file contains Secrets in plain text, so only its owner can read it.
	File string
	// MaxBytes limits the total size of all objects as JSON, in bytes. Zero means 1 GiB.
	MaxBytes int64
	// Warn, if not nil, is called when a client stores an object that the server does not enforce,
	// such as a webhook configuration. The message contains the kind and name of the object. Warn
	// is called only once for each kind of warning; clients get a warning each time. Warn must not
	// send requests to the server.
	Warn func(message string)
	// Now returns the current time. If it is nil, time.Now is used.
	Now func() time.Time
}

// These limits prevent a single client from overloading the server. If API servers have a limit of
// this kind, its value is the same.
const (
	maxBody     = 3 << 20
	maxRequests = 400
	maxWatches  = 10_000
	bodyTimeout = 30 * time.Second
)

// sendTimeout is the time that a client has to read a response or an event. Tests shorten it.
var sendTimeout = 30 * time.Second

// Server is an http.Handler that responds like a Kubernetes API server and keeps its
// objects in memory. It is safe for concurrent use.
type Server struct {
	options   Options
	types     *served.Types
	predict   *predict.Server
	store     *store
	documents documents

	// writing is locked while a request reads, changes and stores an object.
	writing sync.Mutex
	// warned contains the warnings for which Options.Warn was called. The mutex writing guards it.
	warned map[string]bool

	mu      sync.RWMutex
	builtin []*resource
	known   *resources

	requests, watches atomic.Int64
	done              chan struct{}
	closed            sync.Once

	// The method Start sets these two fields.
	listener *http.Server
	url      string
}

// New returns a server with the namespaces that every cluster has. It returns an error for an
// unknown release, for an invalid definition, and if Options.File cannot be read or written. It
// also returns an error if data about the release is missing and Options.Partial is false.
func New(o Options) (*Server, error) {
	o.Release = cmp.Or(o.Release, openapi.Release())
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<30)
	if o.Now == nil {
		o.Now = time.Now
	}
	types, err := served.New(served.Options{Release: o.Release, DeclarativeDefaults: o.DeclarativeDefaults, ImmutabilityMarkers: o.ImmutabilityMarkers})
	if err != nil {
		return nil, err
	}
	if missing := openapi.Missing(o.Release); len(missing) > 0 && !o.Partial {
		return nil, fmt.Errorf("release %s of Kubernetes: dovetail does not know %s of this release; use another release, or set Options.Partial", o.Release, strings.Join(missing, ", "))
	}
	s := &Server{options: o, types: types, predict: types.Server(), store: newStore(o.MaxBytes), done: make(chan struct{}), warned: map[string]bool{}}
	s.predict.Others, s.predict.Native, s.predict.PodSecurity = s.others, o.Native, o.PodSecurity
	if o.ImmutabilityMarkers && o.Native != nil {
		s.predict.Native = withoutDefinitions{o.Native}
	}
	stored, _ := immutable.New(o.Release) // nil if it is not known
	s.builtin = builtinResources(types.Kinds(), stored, types.Release())
	s.refreshResources()
	if err := s.addFirstObjects(); err != nil {
		s.store.end()
		return nil, err
	}
	return s, nil
}

// addFirstObjects stores the objects that exist from the start: the objects in Options.File, the
// namespaces of every cluster, and Options.Definitions.
func (s *Server) addFirstObjects() error {
	if file := s.options.File; file != "" {
		if err := s.store.openJournal(file); err != nil {
			return err
		}
		if err := s.restore(); err != nil {
			return err
		}
	}
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		namespace := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		if s.store.get(schema.GroupResource{Resource: "namespaces"}, key{name: name}) != nil {
			continue
		}
		if err := s.create("v1", "namespaces", namespace); err != nil {
			return err
		}
	}
	for _, doc := range s.options.Definitions {
		if err := s.addDefinitions(doc); err != nil {
			return err
		}
	}
	return nil
}

// create stores an object that must exist when the server starts. It replaces an object with the
// same name from Options.File.
func (s *Server) create(apiVersion, plural string, object map[string]any) error {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return err
	}
	r := s.resources().byPath[gv.WithResource(plural)]
	if r == nil {
		return fmt.Errorf("%s %s is not served", apiVersion, plural)
	}
	w := &write{target: target{resource: r}, verb: predict.Create, options: options{manager: "kube-apiserver"}, object: object}
	if live := s.store.get(r.gr(), keyOf(object)); live != nil {
		w.verb, w.name = predict.Update, document.MetaString(live, "name")
		w.object = withValue(object, []string{"metadata", "resourceVersion"}, document.MetaString(live, "resourceVersion"))
	}
	_, _, err = s.write(w)
	return err
}

// resources returns the resources that are currently served.
func (s *Server) resources() *resources {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.known
}

// others returns the stored objects of a kind, for admission plugins that read other objects.
func (s *Server) others(group, kind string) []map[string]any {
	for _, r := range s.resources().all {
		if r.group == group && r.kind == kind {
			all, _ := s.store.list(r.gr(), "")
			return all
		}
	}
	return nil
}

// ServeHTTP handles a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if token := s.options.Token; token != "" && !isPublic(r.URL.Path) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			writeError(w, apierrors.NewUnauthorized("Unauthorized"))
			return
		}
	}
	if !tryEnter(&s.requests, maxRequests) {
		writeError(w, apierrors.NewTooManyRequests("too many requests at once", 1))
		return
	}
	left := false
	leave := func() {
		if !left {
			left = true
			s.requests.Add(-1)
		}
	}
	defer leave()
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTimeout))  // this fails for an httptest.ResponseRecorder
	control.SetWriteDeadline(time.Now().Add(sendTimeout)) // this also fails for an httptest.ResponseRecorder
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	defer func() {
		if p := recover(); p != nil {
			writeError(w, apierrors.NewInternalError(fmt.Errorf("internal error, please report it: %v", p)))
		}
	}()
	if err := s.serve(w, r, leave); err != nil {
		writeError(w, err)
	}
}

// isHealth reports whether a path is a health check.
func isHealth(path string) bool {
	path = strings.Trim(path, "/")
	return path == "healthz" || path == "livez" || path == "readyz"
}

// isPublic reports whether a path is open to everyone, as with the default roles of a
// cluster.
func isPublic(path string) bool { return isHealth(path) || strings.Trim(path, "/") == "version" }

// tryEnter increments n and returns true. If n has already reached the limit, tryEnter returns
// false and does not change n.
func tryEnter(n *atomic.Int64, most int64) bool {
	if n.Add(1) > most {
		n.Add(-1)
		return false
	}
	return true
}

// serve handles a request. A watch calls leave before it waits for events, so that it no longer
// counts as an active request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, leave func()) error {
	path := strings.Trim(r.URL.Path, "/")
	parts := strings.Split(path, "/")
	switch {
	case isHealth(r.URL.Path):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "ok")
		return nil
	case path == "version":
		return s.serveVersion(w)
	case parts[0] == "openapi":
		return s.serveOpenAPI(w, r, parts[1:])
	case path == "":
		writeJSON(w, http.StatusOK, map[string]any{"paths": []string{"/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}})
		return nil
	case path == "api" || path == "apis" || parts[0] == "api" && len(parts) == 2 || parts[0] == "apis" && len(parts) <= 3:
		return s.serveDiscovery(w, r, parts)
	}
	t, ok := s.route(parts)
	if !ok {
		return s.serveNotFound(w, r, parts)
	}
	if warning := t.deprecation(); warning != "" {
		addWarnings(w, warning)
	}
	switch {
	case t.subresource == "finalize" && r.Method != http.MethodPut:
		return notAllowed(r)
	case r.Method == http.MethodGet && t.name == "" && isTrue(r.URL.Query()["watch"]):
		return s.serveWatch(w, r, t, leave)
	case r.Method == http.MethodGet && t.name == "":
		return s.serveList(w, r, t)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return s.serveGet(w, r, t)
	case t.resource.namespaced && t.namespace == "":
		return notAllowed(r)
	case r.Method == http.MethodDelete && t.name == "" && slices.Contains(verbsOf(t.resource), "deletecollection"):
		return s.serveDeleteCollection(w, r, t)
	case r.Method == http.MethodDelete && t.name != "" && t.subresource == "":
		return s.serveDelete(w, r, t)
	case r.Method == http.MethodPost && t.name == "":
		return s.serveCreate(w, r, t)
	case r.Method == http.MethodPut && t.name != "":
		return s.serveReplace(w, r, t)
	case r.Method == http.MethodPatch && t.name != "":
		return s.servePatch(w, r, t)
	}
	return notAllowed(r)
}

// isTrue parses a boolean option in a query. Like an API server, it also accepts
// Python's True.
func isTrue(values []string) (is bool) {
	runtime.Convert_Slice_string_To_bool(&values, &is, nil) // never fails
	return is
}

// serveNotFound responds to a request for an unknown path. If the path is below /api or in a built-in
// group, it sends a Status, like an API server. For all other paths, it sends plain text.
func (s *Server) serveNotFound(w http.ResponseWriter, r *http.Request, parts []string) error {
	builtin := func(k *resource) bool { return k.group != "" && k.group == parts[1] }
	if parts[0] == "api" || parts[0] == "apis" && len(parts) > 1 && slices.ContainsFunc(s.builtin, builtin) {
		return notFound()
	}
	http.NotFound(w, r)
	return nil
}

func notFound() error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
}

func notAllowed(r *http.Request) error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, strings.ToLower(r.Method), schema.GroupResource{}, "", "", 0, true)
}

// truncateForMessage shortens text that a client has sent, for use in a message.
func truncateForMessage(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// target is what a URL path leads to: a resource, or one object. For a resource, name is "".
type target struct {
	resource                     *resource
	namespace, name, subresource string
}

func (t *target) key() key { return key{t.namespace, t.name} }

// route returns the target of a URL path such as
// api/v1/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE.
func (s *Server) route(parts []string) (t target, ok bool) {
	gvr := schema.GroupVersionResource{Version: "v1"}
	switch {
	case parts[0] == "api" && len(parts) > 2 && parts[1] == "v1":
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		gvr.Group, gvr.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return t, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && (gvr.Group != "" || parts[2] != "status" && parts[2] != "finalize" || len(parts) > 3) {
		t.namespace, parts = parts[1], parts[2:]
		if t.namespace == "" {
			return t, false
		}
	}
	gvr.Resource = parts[0]
	t.resource = s.resources().byPath[gvr]
	if t.resource == nil || len(parts) > 3 || t.namespace != "" && !t.resource.namespaced || gvr.Group == "" && gvr.Resource == "" {
		return t, false
	}
	if len(parts) > 1 {
		if t.name = parts[1]; t.name == "" || t.resource.namespaced && t.namespace == "" {
			return t, false
		}
	}
	if len(parts) > 2 {
		t.subresource = parts[2]
	}
	switch t.subresource {
	case "":
		return t, true
	case "status":
		return t, t.resource.status
	case "scale":
		return t, t.resource.scale
	case "finalize":
		return t, t.resource.isNamespace()
	}
	return t, false
}

func (s *Server) serveVersion(w http.ResponseWriter) error {
	release := s.types.Release()
	numbers := strings.SplitN(strings.TrimPrefix(release, "v"), ".", 3)
	writeJSON(w, http.StatusOK, version.Info{Major: numbers[0], Minor: numbers[1], GitVersion: release, GoVersion: "dovetail", Platform: "dovetail/testserver"})
	return nil
}
