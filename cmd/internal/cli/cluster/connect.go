// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc" // kubectl also supports OIDC in a kubeconfig
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// These limits on the rate of requests are those of kubectl.
const (
	qps   = 50
	burst = 300
)

// dial returns a client for the cluster that the flags select. It sends no request yet.
func dial(r *command.Run, f *Flags) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath, rules.WarnIfAllMissing = f.kubeconfig, false
	overrides := &clientcmd.ConfigOverrides{CurrentContext: f.context}
	overrides.Context.Namespace = f.namespace
	overrides.AuthInfo.Impersonate, overrides.AuthInfo.ImpersonateGroups = f.as, f.groups
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		or := "give files instead"
		if f.set.Changed("filename") {
			or = "leave out " + words.And(f.clusterFlags()) + " to read only files"
		}
		return nil, errors.New("no cluster to read from: there is no kubeconfig, or it has no current context. Give --kubeconfig or --context, or " + or)
	case err != nil:
		return nil, connectError(err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, connectError(err)
	}
	c := &Cluster{Host: config.Host, namespace: namespace, flags: f, run: r}
	if raw, err := loader.RawConfig(); err == nil {
		name := raw.CurrentContext
		if f.context != "" {
			name = f.context
		}
		c.context = name
		if at := raw.Contexts[name]; at != nil {
			c.user = at.AuthInfo
		}
	}
	if f.as != "" {
		c.user = f.as
	}
	config.QPS, config.Burst, config.Timeout, config.UserAgent = qps, burst, f.timeout, "dovetail"
	config.WarningHandler = rest.NoWarnings{}
	config.AcceptContentTypes, config.ContentType = "application/json", "application/json"
	config.GroupVersion = &schema.GroupVersion{}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"}) // so that the client can decode a Status
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &transport{next: next, c: c} })
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, connectError(err)
	}
	// Discard the log messages of client-go, because they are not meant for users.
	quiet := klog.NewContext(context.Background(), klog.Logger{})
	c.send = func(q request) ([]byte, *Problem) {
		if p := q.checkPath(); p != nil {
			return nil, p
		}
		return send(quiet, client, q)
	}
	return c, nil
}

// duplicateName matches client-go's error about a duplicate name in a kubeconfig. The text of
// this error contains the whole list of entries, including tokens and passwords.
var duplicateName = regexp.MustCompile(`(?s)error converting \*\[\]Named(\w+) into .*?: (duplicate name ".*?") in list: .*`)

// connectError converts an error about loading a kubeconfig. It removes secrets from the text.
func connectError(err error) error {
	text := err.Error()
	if m := duplicateName.FindStringSubmatchIndex(text); m != nil {
		list := map[string]string{"Cluster": "clusters", "AuthInfo": "users", "Context": "contexts", "Extension": "extensions"}[text[m[2]:m[3]]]
		text = fmt.Sprintf("%s%s: %s; rename or remove one of the two entries in the kubeconfig", text[:m[0]], list, text[m[4]:m[5]])
	}
	return errors.New("no cluster to read from: " + text)
}

// send sends one request. If the server answers with Retry-After, the client repeats the
// request.
func send(ctx context.Context, client *rest.RESTClient, q request) ([]byte, *Problem) {
	r := client.Verb(q.method).AbsPath(q.path)
	for name, values := range q.query {
		for _, v := range values {
			r = r.Param(name, v)
		}
	}
	if q.accept != "" {
		r = r.SetHeader("Accept", q.accept)
	}
	if q.body != nil {
		r = r.SetHeader("Content-Type", q.contentType).Body(bytes.Clone(q.body))
	}
	result := r.Do(ctx)
	body, err := result.Raw()
	if err == nil {
		return body, nil
	}
	err = result.Error() // decodes the Status in the body
	p := &Problem{Message: err.Error()}
	var status apierrors.APIStatus
	var u *url.Error
	switch {
	case errors.As(err, &status):
		s := status.Status()
		p.Code, p.Reason, p.Message = int(s.Code), string(s.Reason), s.Message
	case errors.As(err, &u):
		p.Message = u.Err.Error()
	}
	return nil, p
}

// transport records that the server has answered. If the server asks the client to wait,
// transport prints a message on the terminal, but only once.
type transport struct {
	next    http.RoundTripper
	c       *Cluster
	printed atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(q)
	if err != nil {
		return answer, err
	}
	t.c.answered.Store(true)
	if wait := answer.Header.Get("Retry-After"); answer.StatusCode == http.StatusTooManyRequests && wait != "" && t.c.run.Env.Progress && !t.printed.Swap(true) {
		fmt.Fprintf(t.c.run.Env.Stderr, "the cluster is busy: waiting %s s between requests\n", wait)
	}
	return answer, nil
}
