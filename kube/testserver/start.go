// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Start returns a server that listens on the loopback interface, on a free port. The caller has
// to Close it. It fails as New does, or if there is no port.
func Start(o Options) (*Server, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port to listen on: %w", err)
	}
	s.listener, s.url = s.HTTP(), "http://"+l.Addr().String()
	go s.listener.Serve(l) // it ends with Close
	return s, nil
}

// HTTP returns an http.Server for s with bounds for headers and slow clients, for callers who
// listen by themselves.
func (s *Server) HTTP() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
}

// URL returns where a server of Start listens, such as http://127.0.0.1:34567.
func (s *Server) URL() string { return s.url }

// Config returns a configuration for clients of a server of Start, which does not limit how fast
// they send requests. Each call returns a new one.
func (s *Server) Config() *rest.Config {
	return &rest.Config{Host: s.url, BearerToken: s.options.Token, QPS: -1}
}

// Close ends the server, its watches, and the file. It may be called more than once.
func (s *Server) Close() {
	s.closed.Do(func() { close(s.done) })
	s.store.stopAll(schema.GroupResource{})
	s.store.end()
	if s.listener == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.listener.Shutdown(ctx) != nil {
		s.listener.Close() // who is still there is cut off
	}
}
