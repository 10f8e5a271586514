// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server runs etcd and kube-apiserver on the loopback interface.
package server

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// token is the bearer token of an account with all permissions.
const token = "admin-token"

// These are the tokens of two other accounts. If the server has an audit log, the log contains
// the requests of Watched. Reader has only the permissions that a test grants. No further accounts
// exist.
const (
	Watched = "watched-token"
	Reader  = "reader-token"
)

// startTimeout is how long Start waits until a server is ready.
const startTimeout = 3 * time.Minute

// Server is a kube-apiserver.
type Server struct {
	Name       string
	Kubeconfig string // path of a file for kubectl
	dir        string
	host       string
	etcd       *Etcd    // the store of the server
	own        bool     // whether Stop also stops etcd
	api        *process // nil if the server was already running
}

// Start empties the folder dir, starts an etcd and a server in it, and waits until the server is
// ready. The caller must call Stop. The given flags are added to the default flags, or replace
// the default flags with the same names.
func Start(ctx context.Context, name, etcd, apiserver, dir string, flags ...string) (*Server, error) {
	e, err := StartEtcd(etcd, dir)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", name, err)
	}
	s, err := StartOn(ctx, e, name, apiserver, dir, flags...)
	if err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	s.own = true
	return s, nil
}

// StartOn starts a server that uses a given etcd, and waits until the server is ready. Other
// servers may use the same etcd. The files of the server are in dir. The caller must call Stop
// before it stops the etcd.
func StartOn(ctx context.Context, etcd *Etcd, name, apiserver, dir string, flags ...string) (_ *Server, err error) {
	dir = filepath.Join(dir, "api-"+name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &Server{Name: name, dir: dir, Kubeconfig: filepath.Join(dir, "kubeconfig"), etcd: etcd}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("server %s: %w", name, err), s.Stop())
		}
	}()
	port, _, err := freePorts()
	if err != nil {
		return nil, err
	}
	s.host = "https://127.0.0.1:" + strconv.Itoa(port)
	keys := filepath.Join(dir, "accounts.key")
	tokens := filepath.Join(dir, "tokens.csv")
	if err := errors.Join(writeKey(keys), os.WriteFile(tokens, []byte(token+`,admin,admin,"system:masters"`+"\n"+Watched+`,watched,watched,"system:masters"`+"\n"+Reader+`,reader,reader,"readers"`+"\n"), 0o600), s.writeKubeconfig()); err != nil {
		return nil, err
	}
	args := []string{
		"--etcd-servers=" + etcd.url, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port), "--cert-dir=" + filepath.Join(dir, "certs"),
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=" + s.host, "--service-account-key-file=" + keys, "--service-account-signing-key-file=" + keys,
		"--authorization-mode=AlwaysAllow", "--token-auth-file=" + tokens,
		"--disable-admission-plugins=ServiceAccount", "--enable-priority-and-fairness=false",
	}
	for _, f := range flags {
		name, _, _ := strings.Cut(f, "=")
		args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, name+"=") })
		args = append(args, strings.ReplaceAll(f, "DIR", dir))
	}
	s.api, err = start(dir, "kube-apiserver", apiserver, args...)
	if err != nil {
		return nil, err
	}
	return s, s.ready(ctx)
}

// At returns a server that is already running at the URL in the second argument. This server must
// allow all requests without authentication. The last argument is a folder for client files.
func At(name, host, dir string) (*Server, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &Server{Name: name, dir: dir, host: host, Kubeconfig: filepath.Join(dir, "kubeconfig")}
	return s, s.writeKubeconfig()
}

func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return err
	}
	for {
		if client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil {
			return nil
		}
		for _, p := range []*process{s.etcd.process, s.api} {
			if p.dead() {
				return fmt.Errorf("%s ended: %w\n%s", p.name, p.err, tail(p.log))
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w\n%s", ctx.Err(), tail(s.api.log))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Config returns the configuration for a client with all permissions and without rate limits.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host:            s.host,
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true},
		QPS:             -1,
		WarningHandler:  rest.NoWarnings{},
	}
}

func (s *Server) writeKubeconfig() error { return s.writeKubeconfigOf(token, s.Kubeconfig) }

func (s *Server) writeKubeconfigOf(token, name string) error {
	c := s.Config()
	return clientcmd.WriteToFile(api.Config{
		Clusters:       map[string]*api.Cluster{"local": {Server: c.Host, InsecureSkipTLSVerify: true}},
		AuthInfos:      map[string]*api.AuthInfo{strings.TrimSuffix(token, "-token"): {Token: token}},
		Contexts:       map[string]*api.Context{"local": {Cluster: "local", AuthInfo: strings.TrimSuffix(token, "-token"), Namespace: ""}},
		CurrentContext: "local",
	}, name)
}

// KubeconfigOf writes a kubeconfig with the given token and returns its path.
func (s *Server) KubeconfigOf(token string) (string, error) {
	name := filepath.Join(s.dir, "kubeconfig-"+token)
	return name, s.writeKubeconfigOf(token, name)
}

// Home returns the folder for files of this server's clients.
func (s *Server) Home() string { return s.dir }

// Stop stops the server. It also stops the etcd if Start started it.
func (s *Server) Stop() error {
	err := s.api.stop()
	if s.own {
		err = errors.Join(err, s.etcd.Stop())
	}
	return err
}

// Swallowed returns the lines in the server's log about errors that the server did not return
// to a client. They include panics, and failures to update managed fields. After such a
// failure, the server stores the object with the old managed fields or with none.
func (s *Server) Swallowed() ([]string, error) {
	text, err := os.ReadFile(s.api.log)
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("SHOULD NOT HAPPEN")) || bytes.Contains(line, []byte("Observed a panic")) {
			found = append(found, string(line))
		}
	}
	return found, nil
}

func freePorts() (a, b int, err error) {
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], nil
}

func writeKey(name string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// tail returns the last part of a log file.
func tail(name string) string {
	const most = 3000
	text, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
