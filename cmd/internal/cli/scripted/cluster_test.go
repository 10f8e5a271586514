// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scripted

import (
	"encoding/json"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// started is the key under which a script stores the cluster that it has started.
type started struct{}

// startCluster implements the script command cluster. It starts a cluster with the objects of a
// file, and writes a kubeconfig to the file kubeconfig. An optional second argument is the
// Kubernetes version of the cluster.
func startCluster(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: cluster FILE [VERSION]")
	}
	c, err := program.NewCluster(ts.MkAbs("kubeconfig"), args[0], []byte(ts.ReadFile(args[0])))
	ts.Check(err)
	if len(args) == 2 {
		c.SetVersion(args[1])
	}
	ts.Defer(c.Close)
	ts.Value(started{}).(*clusters).c = c
}

// stored implements the script command stored. It writes the object at a URL path of the cluster to
// a file.
func stored(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stored PATH FILE")
	}
	text, err := json.MarshalIndent(ts.Value(started{}).(*clusters).c.Get(args[0]), "", "  ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), append(text, '\n'), 0o600))
}

type clusters struct{ c *program.Cluster }
