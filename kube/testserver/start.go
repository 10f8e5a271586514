// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// Running is a Server that listens.
type Running struct {
	*Server
	http *http.Server
	url  string
}

// Start makes a server that listens on the loopback interface, on a free port. The caller has to
// Stop it. It fails as New does, or if there is no port.
func Start(o Options) (*Running, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no port to listen on: %w", err)
	}
	r := &Running{Server: s, http: s.HTTP(), url: "http://" + l.Addr().String()}
	go r.http.Serve(l) // it ends with Stop
	return r, nil
}

// HTTP returns an http.Server for s with bounds for headers and slow clients, for callers who
// listen by themselves.
func (s *Server) HTTP() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
}

// URL is where the server listens, such as http://127.0.0.1:34567.
func (r *Running) URL() string { return r.url }

// Config is for clients of the server, without a limit to how fast they ask. Each call returns
// a new one.
func (r *Running) Config() *rest.Config {
	return &rest.Config{Host: r.url, BearerToken: r.options.Token, QPS: -1}
}

// Stop ends the server and its watches. It may be called more than once.
func (r *Running) Stop() {
	r.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if r.http.Shutdown(ctx) != nil {
		r.http.Close() // who is still there is cut off
	}
}
