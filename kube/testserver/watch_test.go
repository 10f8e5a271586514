// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A watch without events must last longer than sendTimeout, over HTTP/1.1 and over HTTP/2.
func TestQuietWatch(t *testing.T) {
	defer func(d time.Duration) { sendTimeout = d }(sendTimeout)
	sendTimeout = 200 * time.Millisecond
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(s)
		server.EnableHTTP2 = http2
		server.StartTLS()
		answer, err := server.Client().Get(server.URL + "/api/v1/namespaces/default/configmaps?watch=true")
		if err != nil {
			t.Fatal(err)
		}
		if is2 := answer.ProtoMajor == 2; is2 != http2 {
			t.Fatalf("over %s", answer.Proto)
		}
		for _, name := range []string{"a", "b"} {
			time.Sleep(3 * sendTimeout)
			name += map[bool]string{true: "2"}[http2]
			created, err := server.Client().Post(server.URL+"/api/v1/namespaces/default/configmaps", "application/json",
				strings.NewReader(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+name+`"}}`))
			if err != nil || created.StatusCode != http.StatusCreated {
				t.Fatal(created, err)
			}
			lines := bufio.NewScanner(answer.Body)
			for lines.Scan() && !strings.Contains(lines.Text(), `"name":"`+name+`"`) {
			}
			if err := lines.Err(); err != nil {
				t.Fatalf("over %s: %v", answer.Proto, err)
			}
		}
		answer.Body.Close()
		server.Close()
	}
}
