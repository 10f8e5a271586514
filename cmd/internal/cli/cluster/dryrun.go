// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Trial is a server-side apply that a server is to answer and not to store.
type Trial struct {
	Of                                    Resource
	Namespace, Name, Subresource, Manager string
	Force                                 bool
	// Body is the config as JSON.
	Body []byte
}

// DryRun asks the server for a dry run: what it would store, or why it refuses. err is about
// the cluster as a whole.
func (c *Cluster) DryRun(t Trial) (object []byte, refused *Problem, err error) {
	q := request{
		method: http.MethodPatch, path: t.Of.path(t.Namespace, t.Name), of: t.Of, namespace: t.Namespace, name: t.Name,
		query: url.Values{"dryRun": {"All"}, "fieldManager": {t.Manager}, "force": {strconv.FormatBool(t.Force)}},
		// JSON is YAML.
		contentType: "application/apply-patch+yaml", body: t.Body,
	}
	if t.Subresource != "" {
		q.path = strings.Join([]string{q.path, t.Subresource}, "/")
	}
	body, problem := c.send(q)
	switch {
	case problem == nil:
		return body, nil, nil
	case problem.fatal(), problem.Code == http.StatusForbidden && !strings.Contains(problem.Message, "denied"):
		return nil, nil, c.explain(q, problem)
	}
	return nil, problem, nil
}
