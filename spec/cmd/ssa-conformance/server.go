// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/spec/cases"
)

// access holds the credentials for servers.
type access struct {
	token, authority, certificate, key string
	insecure                           bool
}

// server is an implementation that receives requests over HTTP.
type server struct {
	url    string
	token  string
	client *http.Client
}

func (a access) server(url string) (*server, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: a.insecure}
	if a.authority != "" {
		text, err := os.ReadFile(a.authority)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate", a.authority)
		}
	}
	if a.certificate != "" {
		pair, err := tls.LoadX509KeyPair(a.certificate, a.key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return &server{strings.TrimSuffix(url, "/"), a.token, &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment},
	}}, nil
}

// runStories runs all stories on a server and replaces the expected answers in the stories by the
// actual answers. If learn is true, the stories only record the answers: a story continues after
// an unexpected status, and an unexpected body does not count as a failure.
func runStories(name string, s *server, stories []cases.Story, learn bool) (outcome, error) {
	o := outcome{name: name, failed: map[string]string{}, unsupported: map[string]string{}}
	for i := range stories {
		why, err := s.story(&stories[i], learn)
		if err != nil {
			return o, fmt.Errorf("%s: %w", stories[i].Name, err)
		}
		if why != "" {
			o.failed[stories[i].Name] = why
		}
	}
	return o, nil
}

const (
	namespaces  = "/api/v1/namespaces"
	definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// story runs a story in a new namespace, as runStories describes. If learn is true, the story continues
// after an unexpected answer. Otherwise, it ends there. story returns a description of the last unexpected
// answer, or "" if all answers are as expected.
func (s *server) story(story *cases.Story, learn bool) (wrong string, err error) {
	namespace := fmt.Sprintf("ssa%x", rand.Uint64())
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, namespace)
	status, answer, err := s.send("POST", namespaces, nil, "application/json", body)
	if err != nil {
		return "", err
	}
	if status != http.StatusCreated {
		return "", fmt.Errorf("cannot create a namespace: status %d: %s", status, answer)
	}
	var made []string
	defer func() {
		for _, path := range append(made, namespaces+"/"+namespace) {
			_, _, failed := s.send("DELETE", path, nil, "", nil)
			err = errors.Join(err, failed)
		}
	}()
	revision := ""
	for i := range story.Steps {
		step := &story.Steps[i]
		told := *step
		told.Path = strings.ReplaceAll(step.Path, "$NS", namespace)
		told.Body = json.RawMessage(strings.NewReplacer("$NS", namespace, "$RV", revision).Replace(string(step.Body)))
		status, answer, err := s.do(told)
		if err != nil {
			return "", fmt.Errorf("step %d: %w", i+1, err)
		}
		var said struct {
			Metadata struct{ Name, ResourceVersion string }
		}
		_ = json.Unmarshal(answer, &said) // the fields stay empty if the answer does not have them
		if revision = said.Metadata.ResourceVersion; step.Do == "create" && step.Path == definitions && status == http.StatusCreated {
			made = append(made, definitions+"/"+said.Metadata.Name)
		}
		got, err := cases.Settled(answer, namespace)
		if err != nil {
			return "", fmt.Errorf("step %d: %w: %s", i+1, err, answer)
		}
		switch {
		case status != step.Status:
			wrong = fmt.Sprintf("step %d, %s: status %d, want %d: %s", i+1, step.About, status, step.Status, got)
		case !learn && step.Do != "await" && step.Want != nil && !bytes.Equal(got, step.Want):
			wrong = fmt.Sprintf("step %d, %s: got\n  %s\n  want\n  %s", i+1, step.About, got, step.Want)
		}
		if step.Status = status; step.Do != "await" {
			step.Want = got
		}
		if wrong != "" && !learn {
			break
		}
	}
	return wrong, nil
}

// do sends the request of a step.
func (s *server) do(step cases.Step) (int, []byte, error) {
	query := url.Values{}
	for name, v := range step.Query {
		query.Set(name, v)
	}
	patch := map[string]string{
		"apply": "application/apply-patch+yaml", "merge": "application/merge-patch+json",
		"strategic": "application/strategic-merge-patch+json", "json": "application/json-patch+json",
	}
	switch step.Do {
	case "create":
		return s.send("POST", step.Path, query, "application/json", step.Body)
	case "update":
		return s.send("PUT", step.Path, query, "application/json", step.Body)
	case "get":
		return s.send("GET", step.Path, query, "", nil)
	case "delete":
		return s.send("DELETE", step.Path, query, "application/json", step.Body)
	case "await":
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			status, answer, err := s.send("GET", step.Path, query, "", nil)
			var wanted string
			_ = json.Unmarshal(step.Want, &wanted) // if Want is not a string, wanted stays empty, so any answer contains it
			if err != nil || status == step.Status && bytes.Contains(answer, []byte(wanted)) || time.Now().After(end) {
				return status, answer, err
			}
		}
	}
	if patch[step.Do] == "" {
		return 0, nil, fmt.Errorf("do: %q is unknown", step.Do)
	}
	return s.send("PATCH", step.Path, query, patch[step.Do], step.Body)
}

// send sends a request. It returns the status and body of every answer, including failures.
func (s *server) send(method, path string, query url.Values, form string, body []byte) (int, []byte, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Accept", "application/json")
	if form != "" {
		r.Header.Set("Content-Type", form)
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	return answer.StatusCode, text, err
}

// record writes one file in dir for each story. The steps of the stories contain a server's
// actual answers.
func record(dir string, stories []cases.Story) error {
	for _, s := range stories {
		text, err := s.Write()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, s.Name+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// asGroup returns a group with one case for each story, so that a report can include the
// stories.
func asGroup(stories []cases.Story) cases.Group {
	g := cases.Group{Name: "http"}
	for _, s := range stories {
		g.Cases = append(g.Cases, cases.Case{Name: s.Name, About: s.About, Rules: s.Rules, Level: 4})
	}
	return g
}
