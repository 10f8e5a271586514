// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package playground_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/playground"
)

func TestHandler(t *testing.T) {
	h := playground.Handler(fstest.MapFS{"index.html": {Data: []byte("page")}, "engine.wasm": {Data: []byte("\x00asm")}})
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/", 200, "text/html"},
		{"HEAD", "/", 200, "text/html"},
		// Only with this content type does a browser compile WebAssembly during the
		// download.
		{"GET", "/engine.wasm", 200, "application/wasm"},
		{"GET", "/missing", 404, "text/plain"},
		{"GET", "/../secret", 404, "text/plain"},
		{"POST", "/", 405, "text/plain"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if kind := w.Header().Get("Content-Type"); w.Code != c.status || !strings.HasPrefix(kind, c.kind) {
			t.Errorf("%s %s: status %d, type %s; want %d, %s", c.method, c.path, w.Code, kind, c.status, c.kind)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: the browser may guess the type", c.method, c.path)
		}
	}
}
