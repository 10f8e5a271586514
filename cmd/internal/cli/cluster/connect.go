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
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc" // kubeconfigs may ask for it, as they may with kubectl
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// The rate of requests that kubectl has.
const (
	qps   = 50
	burst = 300
)

// dial connects to the cluster that flags name. Nothing is sent yet.
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
		return nil, errors.New("no cluster to read from: there is no kubeconfig, or it has no current context; give --kubeconfig or --context, or files in place of the cluster")
	case err != nil:
		return nil, none(err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, none(err)
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
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"}) // for what errors say
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &watched{next: next, c: c} })
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, none(err)
	}
	// What client-go logs is for its developers.
	quiet := klog.NewContext(context.Background(), klog.Logger{})
	c.send = func(q request) ([]byte, *Problem) {
		if p := q.strays(); p != nil {
			return nil, p
		}
		return send(quiet, client, q)
	}
	return c, nil
}

// listed matches what client-go says of a kubeconfig that has a name twice: it prints all
// values of that list, tokens and passwords of users among them.
var listed = regexp.MustCompile(`(?s)error converting \*\[\]Named(\w+) into .*?: (duplicate name ".*?") in list: .*`)

// none says why there is no cluster, without what a kubeconfig keeps secret.
func none(err error) error {
	text := err.Error()
	if m := listed.FindStringSubmatchIndex(text); m != nil {
		list := map[string]string{"Cluster": "clusters", "AuthInfo": "users", "Context": "contexts", "Extension": "extensions"}[text[m[2]:m[3]]]
		text = fmt.Sprintf("%s%s: %s; rename or remove one", text[:m[0]], list, text[m[4]:m[5]])
	}
	return errors.New("no cluster to read from: " + text)
}

// send sends one request, again where the server asks for that.
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
	err = result.Error() // which reads what the server says
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

// watched counts requests, and says on a terminal when the server asks to wait.
type watched struct {
	next http.RoundTripper
	c    *Cluster
	told atomic.Bool
}

// RoundTrip sends a request.
func (w *watched) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := w.next.RoundTrip(q)
	if err != nil {
		return answer, err
	}
	w.c.answered.Store(true)
	if wait := answer.Header.Get("Retry-After"); answer.StatusCode == http.StatusTooManyRequests && wait != "" && w.c.run.Env.Progress && !w.told.Swap(true) {
		fmt.Fprintf(w.c.run.Env.Stderr, "the cluster has many requests, and asks to wait %s s between ours\n", wait)
	}
	return answer, nil
}
