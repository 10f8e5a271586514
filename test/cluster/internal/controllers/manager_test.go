// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// newManager starts a test server with a CRD, and returns a manager that uses the server.
func newManager(t *testing.T, crd []byte) ctrl.Manager {
	t.Helper()
	server, err := testserver.Start(testserver.Options{Release: "1.37", Definitions: [][]byte{crd}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	mgr, err := ctrl.NewManager(server.Config(), ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	return mgr
}
