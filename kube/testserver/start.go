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

// Start returns a server that listens on a free port of the loopback interface. The caller
// must call Close. The error comes from New, or reports that no port is available.
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
	go s.listener.Serve(l) // Close ends this goroutine
	return s, nil
}

// HTTP returns an http.Server for s, with limits for headers and slow clients. Use it to
// listen on an address of your choice.
func (s *Server) HTTP() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
}

// URL returns the URL of a server that Start returned, such as http://127.0.0.1:34567.
func (s *Server) URL() string { return s.url }

// Config returns a client configuration, without a rate limit, for a server that Start
// returned. Each call returns a new configuration.
func (s *Server) Config() *rest.Config {
	return &rest.Config{Host: s.url, BearerToken: s.options.Token, QPS: -1}
}

// Close stops the server, ends its watches and closes its file. It may be called several
// times.
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
		s.listener.Close() // close connections that are still open
	}
}
