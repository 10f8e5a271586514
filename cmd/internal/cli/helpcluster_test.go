// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
)

// startCluster starts a cluster with the live objects in a folder. It returns the environment with
// which examples find this cluster.
func startCluster(t *testing.T, dir string) []string {
	t.Helper()
	objects, err := os.ReadFile(filepath.Join(dir, "cluster.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "kubeconfig")
	c, err := program.NewCluster(config, "cluster.yaml", objects)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return []string{"KUBECONFIG=" + config, "KUBECACHEDIR=" + t.TempDir()}
}
