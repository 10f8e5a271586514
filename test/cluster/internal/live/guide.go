// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Guide is the result of running the commands in docs/cluster.md.
type Guide struct {
	Commands int
	Wrong    []string
}

// OK reports whether each command had the output that the document shows.
func (g *Guide) OK() bool { return len(g.Wrong) == 0 && g.Commands > 10 }

// Write prints the result.
func (g *Guide) Write(w io.Writer) {
	fmt.Fprintf(w, "docs/cluster.md: %d commands run, %d with another output\n", g.Commands, len(g.Wrong))
	for _, text := range g.Wrong {
		fmt.Fprintln(w, text)
	}
}

// Servers are the servers on which the commands of docs/cluster.md run. Works is a normal server.
// Throttles limits the rate of requests. Stops is stopped in the middle of a command. All of them
// share one etcd.
type Servers struct{ Works, Throttles, Stops *server.Server }

// block matches a console session or a file in the Markdown document.
var block = regexp.MustCompile("(?s)```(console on a cluster|yaml ([^\n]+))\n(.*?)```\n")

// Type runs the commands that a document shows, in the folder dir. Before that, it writes the
// files that the document shows to this folder. Afterwards, dir contains answers.md, a copy of
// the document with the actual output.
func Type(ctx context.Context, p Programs, s Servers, release, document, dir string) (*Guide, error) {
	w, err := newWorld(p, s.Works, dir)
	if err != nil {
		return nil, err
	}
	if err := w.furnish(ctx, release); err != nil {
		return nil, err
	}
	config, err := w.contexts(s)
	if err != nil {
		return nil, err
	}
	for name, program := range map[string]string{"kubectl-dovetail": p.Dovetail, "kubectl": p.Kubectl} {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	text := string(data)
	g := &Guide{}
	blocks := block.FindAllStringSubmatch(text, -1)
	for _, b := range blocks {
		if b[2] != "" {
			if err := os.WriteFile(filepath.Join(dir, b[2]), []byte(b[3]), 0o600); err != nil {
				return nil, err
			}
		}
	}
	for _, b := range blocks {
		if b[2] != "" {
			continue
		}
		for _, e := range strings.Split("\n"+b[3], "\n$ ")[1:] {
			command, want, _ := strings.Cut(e, "\n")
			got, err := w.typed(ctx, config, command)
			if err != nil {
				return nil, err
			}
			g.Commands++
			if want = strings.TrimSuffix(want, "\n"); want != strings.TrimSuffix(got, "\n") {
				g.Wrong = append(g.Wrong, fmt.Sprintf("$ %s\n%s\nwant\n%s", command, got, want))
				text = strings.Replace(text, "$ "+e, "$ "+command+"\n"+got, 1)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "answers.md"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	if throttled, err := refusals(ctx, s.Throttles); err != nil || !throttled {
		g.Wrong = append(g.Wrong, fmt.Sprintf("the throttling server rejected no request: %v", err))
	}
	said, err := w.stopServer(ctx, s.Stops)
	g.Commands++
	if want := "the cluster stopped answering"; err == nil && !strings.Contains(said, want) {
		g.Wrong = append(g.Wrong, fmt.Sprintf("a server that goes away in the middle: want %q, got %s", want, said))
	}
	return g, err
}

// refusals reports whether the server has rejected any request with "too many requests".
func refusals(ctx context.Context, s *server.Server) (bool, error) {
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return false, err
	}
	text, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	return regexp.MustCompile(`apiserver_request_terminations_total{[^}]*code="429"`).Match(text), err
}

// typed runs a command and returns its output, with addresses removed.
func (w *world) typed(ctx context.Context, config, command string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PATH="+w.dir+":"+os.Getenv("PATH"), "KUBECONFIG="+config, "HOME="+w.dir, "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache"), "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	text := address.ReplaceAllString(string(out), "https://cluster")
	return ages.ReplaceAllString(written.ReplaceAllString(text, "2026-03-01T10:00:00Z"), "${1}5s"), err
}

// These patterns match the texts in the output that differ from run to run.
var (
	address = regexp.MustCompile(`https://127\.0\.0\.1:\d+`)
	written = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	ages    = regexp.MustCompile(`(update |apply |, )\d+(?:m\d+)?[sm]\b`)
)

// contexts writes a kubeconfig with the contexts that docs/cluster.md uses.
func (w *world) contexts(s Servers) (string, error) {
	c := api.NewConfig()
	add := func(context string, s *server.Server, user, token string) {
		c.Clusters[context] = &api.Cluster{Server: s.Config().Host, InsecureSkipTLSVerify: true}
		c.AuthInfos[user] = &api.AuthInfo{Token: token}
		c.Contexts[context] = &api.Context{Cluster: context, AuthInfo: user, Namespace: "shop"}
	}
	add("shop", s.Works, "reader", server.Reader)
	add("admin", s.Works, "admin", s.Works.Config().BearerToken)
	add("expired", s.Works, "ann", "a-token-of-last-year")
	add("busy", s.Throttles, "reader", server.Reader)
	add("gone", s.Works, "reader", server.Reader)
	c.Clusters["gone"].Server = "https://127.0.0.1:1"
	c.CurrentContext = "shop"
	name := filepath.Join(w.dir, "kubeconfig")
	return name, clientcmd.WriteToFile(*c, name)
}

// furnish creates the objects that docs/cluster.md uses: a Deployment with three owners, a
// custom resource, an account that can read everything except Secrets, and an aggregated API
// whose server is down.
func (w *world) furnish(ctx context.Context, release string) error {
	catalog, err := openapi.BuiltinRelease(release, openapi.Options{})
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(w.s.Config())
	if err != nil {
		return err
	}
	c := client.RESTClient()
	deployment := func(spec string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","labels":{"app":"web"}},"spec":` + spec + `}`
	}
	for _, o := range []struct{ manager, text string }{
		{"admin", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`},
		{"admin", widgets},
		{"gitops", deployment(`{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"registry.example.com/web:1.4"}]}}}`)},
		{"gitops", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop","labels":{"app":"web"}},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}`},
		{"admin", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"reader"},"rules":[
			{"apiGroups":["","apps","example.com","metrics.example.com","apiextensions.k8s.io"],"resources":["configmaps","services","namespaces","deployments","widgets","readings","customresourcedefinitions"],"verbs":["get","list"]}]}`},
		{"admin", `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"reader"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"reader"},"subjects":[{"kind":"Group","name":"readers","apiGroup":"rbac.authorization.k8s.io"}]}`},
		{"admin", `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.metrics.example.com"},"spec":{"group":"metrics.example.com","version":"v1","groupPriorityMinimum":100,"versionPriority":100,"insecureSkipTLSVerify":true,"service":{"name":"metrics","namespace":"shop"}}}`},
	} {
		var one object
		if err := json.Unmarshal([]byte(o.text), &one); err != nil {
			return err
		}
		if err := until(ctx, func() error { return put(ctx, c, catalog, one, o.manager) }); err != nil {
			return err
		}
	}
	scaled := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "web", "namespace": "shop"}, "spec": object{"replicas": int64(5)}}
	if err := merge(ctx, c, catalog, scaled, "autoscaler"); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // let the server notice that the aggregated API is down
	return nil
}

// stopServer starts a command and stops the server after the command's first request, while the
// command waits for its input. It returns the command's output.
func (w *world) stopServer(ctx context.Context, s *server.Server) (output string, err error) {
	config, err := s.KubeconfigOf(server.Watched)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(w.dir, "kubectl-dovetail"), "diff", "-f", "-", "--field-manager", "gitops")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "HOME="+w.dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	asked := until(ctx, func() error {
		verbs, err := s.Audited()
		if err == nil && len(verbs) == 0 {
			err = errors.New("the command made no request")
		}
		return err
	})
	err = errors.Join(asked, s.Stop())
	_, werr := io.WriteString(in, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}}`)
	err = errors.Join(err, werr, in.Close())
	var exit *exec.ExitError
	if werr := cmd.Wait(); !errors.As(werr, &exit) {
		err = errors.Join(err, fmt.Errorf("a server that goes away: %w", werr))
	}
	return out.String(), err
}
