// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/policy/podsecurity"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// validationPage explains which values the server rejects.
const validationPage = "https://github.com/dovetail-ssa/dovetail/blob/main/docs/test-server.md#validation"

// serve runs the server. If o.program is set, serve runs this program and returns when the
// program ends. Otherwise, it returns when the command is interrupted, when the server fails
// or, with --until-eof, when standard input ends.
func (o *options) serve(r *command.Run) error {
	if o.token != "" && !o.tls {
		return command.Usagef("--token needs --tls, because clients send the token of a kubeconfig only to https servers")
	}
	if o.untilEOF && len(o.program) > 0 {
		return command.Usagef("--until-eof cannot be combined with a command, which gets standard input: leave one of them out")
	}
	if slices.Contains(o.definitions.Names, "-") && (o.untilEOF || len(o.program) > 0) {
		return command.Usagef("cannot use %s - with --until-eof or a command, because it reads standard input until its end: write the CRDs to a file", o.definitions.Flag)
	}
	sources.WarnMissing(r, o.release)
	engine, missing, err := sources.FindNative(r, o.native, sources.Minor(cmp.Or(o.release, openapi.Release())))
	if err != nil {
		return err
	}
	s, err := o.newServer(r, engine)
	if err != nil {
		return err
	}
	if engine != nil {
		defer engine.Close()
	}
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return command.Usagef("--listen %q: write HOST:PORT", o.listen)
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	if missing != nil {
		r.Notef("built-in kinds are validated with simple rules only; see %s (--native %s hides this note)", validationPage, sources.NativeOff)
	}
	r.WriteNotes()
	address := l.Addr().(*net.TCPAddr)
	if ip := address.IP; !ip.IsLoopback() && o.token == "" {
		r.Warnf("everyone who can reach %s can write to the server: give --token and --tls to require a token", address)
	}
	if host == "" || address.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	// The JavaScript client uses plain HTTP only if the kubeconfig permits insecure connections. Other
	// clients ignore this field for HTTP.
	cluster := &api.Cluster{Server: "http://" + net.JoinHostPort(host, fmt.Sprint(address.Port)), InsecureSkipTLSVerify: !o.tls}
	h := s.HTTP()
	if o.tls {
		certificate, authority, err := newCertificate(host)
		if err != nil {
			return err
		}
		h.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
		cluster.Server, cluster.CertificateAuthorityData = "https"+cluster.Server[len("http"):], authority
	}
	ended := make(chan error, 1)
	go func() {
		if o.tls {
			ended <- h.ServeTLS(l, "", "")
		} else {
			ended <- h.Serve(l)
		}
	}()
	defer h.Close() // closes open connections
	defer s.Close()
	config, err := clientcmd.Write(api.Config{
		Clusters:  map[string]*api.Cluster{"dovetail": cluster},
		AuthInfos: map[string]*api.AuthInfo{"dovetail": {Token: o.token}},
		Contexts:  map[string]*api.Context{"dovetail": {Cluster: "dovetail", AuthInfo: "dovetail", Namespace: "default"}}, CurrentContext: "dovetail",
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(o.program) > 0 {
		return o.run(ctx, r, config)
	}
	if err := o.writeKubeconfig(r, config); err != nil {
		return err
	}
	fmt.Fprintf(r.Env.Stderr, "serving on %s\n", cluster.Server)
	var inputEnded chan struct{}
	if o.untilEOF {
		inputEnded = make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, r.Env.Stdin) // stop at an error, too
			close(inputEnded)
		}()
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	case <-inputEnded:
		return nil
	}
}

// newServer returns the server. It also adds notes about the options.
func (o *options) newServer(r *command.Run, engine *native.Engine) (*testserver.Server, error) {
	options := testserver.Options{Release: o.release, Partial: true, Token: o.token, File: o.store,
		DeclarativeDefaults: o.proposals.DeclarativeDefaults, ImmutabilityMarkers: o.proposals.ImmutabilityMarkers, Warn: r.WarnObject}
	if engine != nil {
		options.Native = engine
	}
	release := sources.Minor(cmp.Or(o.release, openapi.Release()))
	security, err := podsecurity.New(release)
	if err != nil {
		return nil, err
	}
	options.PodSecurity = security
	read, err := o.readDefinitions(r, &options)
	if err != nil {
		return nil, err
	}
	s, err := testserver.New(options)
	if err != nil {
		return nil, withFiles(err, read)
	}
	if o.proposals.Note(r); !o.proposals.ImmutabilityMarkers {
		noteMarkers(r, read)
	}
	return s, nil
}

// readDefinitions returns the CRDs in the files of --crd. It also adds these files to options. In
// a directory, files without a CRD are skipped, as in other commands.
func (o *options) readDefinitions(r *command.Run, options *testserver.Options) (all []*crd.Definition, err error) {
	files, errs := o.definitions.All(r)
	if len(errs) > 0 {
		return nil, errs
	}
	for _, file := range files {
		data, shown, err := input.ReadFile(r, o.definitions.Flag, file.Name)
		if err != nil {
			return nil, err
		}
		read, err := crd.Read(shown, data)
		switch {
		case err != nil && file.Listed && sources.DefinesNothing(shown, data):
			input.NoteSkipped(r, shown, "there is no CustomResourceDefinition in it")
			continue
		case err != nil:
			return nil, err // the error names the file
		}
		all, options.Definitions = append(all, read...), append(options.Definitions, data)
	}
	return all, nil
}

// withFiles replaces an error about CRDs by the errors of all CRDs, with file and line. If the CRDs
// are valid, it returns the original error.
func withFiles(err error, all []*crd.Definition) error {
	var errs manifest.Errors
	for _, d := range all {
		found := slices.SortedStableFunc(slices.Values(d.Validate()), func(a, b *crd.Finding) int { return cmp.Compare(a.Line, b.Line) })
		for _, f := range found {
			errs = append(errs, &manifest.Error{File: f.Document, Line: f.Line, Path: f.Path, Message: f.Message})
		}
	}
	if len(errs) == 0 {
		return err
	}
	return errs
}

// noteMarkers prints a note if CRDs contain immutability markers, because the server drops
// these markers.
func noteMarkers(r *command.Run, all []*crd.Definition) {
	var names []string
	for _, d := range all {
		if cel.HasMarkers(d) {
			names = append(names, d.Object().Identity().Name)
		}
	}
	if len(names) == 0 {
		return
	}
	r.Notef("the server ignores the immutability markers in %s, as released API servers do; \"dovetail cel\" generates rules that a server enforces, and %s makes this server enforce the markers", words.ShortList(names), sources.MarkersFlag)
}

// writeKubeconfig writes the kubeconfig atomically to the file of --kubeconfig-out. Without
// this flag, it writes the kubeconfig to standard output.
func (o *options) writeKubeconfig(r *command.Run, config []byte) error {
	if o.kubeconfig == "" {
		_, err := r.Env.Stdout.Write(config)
		return err
	}
	temporary := o.kubeconfig + ".new"
	if err := os.WriteFile(temporary, config, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, o.kubeconfig)
}

// run runs the program that the user named. The command exits with the exit status of this
// program.
func (o *options) run(ctx context.Context, r *command.Run, config []byte) error {
	dir, err := os.MkdirTemp("", "dovetail-serve-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // the kubeconfig in it may contain a token
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	if o.kubeconfig != "" {
		if err := o.writeKubeconfig(r, config); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, o.program[0], o.program[1:]...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	c.Env = append(os.Environ(), "KUBECONFIG="+file)
	c.Stdin, c.Stdout, c.Stderr = r.Env.Stdin, r.Env.Stdout, r.Env.Stderr
	err = c.Run()
	var status *exec.ExitError
	if !errors.As(err, &status) {
		return err
	}
	if status.ExitCode() > 0 {
		r.Status = status.ExitCode()
		return nil
	}
	if wait, ok := status.Sys().(syscall.WaitStatus); ok && wait.Signaled() && ctx.Err() == nil {
		r.Warnf("%s was ended by a signal: %v", o.program[0], wait.Signal())
		r.Status = 128 + int(wait.Signal()) // the status that a shell returns
		return nil
	}
	return err
}

// newCertificate returns a self-signed certificate for a host. The second result is the same
// certificate in PEM format, for the kubeconfig of clients.
func newCertificate(host string) (tls.Certificate, []byte, error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "dovetail serve"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	var authority bytes.Buffer
	err = pem.Encode(&authority, &pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: secret}, authority.Bytes(), err
}
