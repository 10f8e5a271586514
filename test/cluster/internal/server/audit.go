// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// auditPolicy makes the server log the requests of one account.
const auditPolicy = `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","omitStages":["RequestReceived","ResponseStarted"],
"rules":[{"level":"Metadata","users":["watched"]},{"level":"None"}]}`

// AuditFlags returns the flags that make a server log the requests of the account Watched. It
// writes the audit policy to the folder dir, which must exist.
func AuditFlags(dir string) ([]string, error) {
	name := filepath.Join(dir, "audit-policy.json")
	return []string{"--audit-policy-file=" + name, "--audit-log-path=DIR/audit.log", "--audit-log-mode=blocking"}, os.WriteFile(name, []byte(auditPolicy), 0o600)
}

// Audited returns the verbs of the logged requests in order.
func (s *Server) Audited() (verbs []string, err error) {
	text, err := os.ReadFile(filepath.Join(s.dir, "audit.log"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	for line := range bytes.Lines(text) {
		var e struct{ Verb string }
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		verbs = append(verbs, e.Verb)
	}
	return verbs, err
}
