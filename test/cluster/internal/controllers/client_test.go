// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// newClient returns a client for the controllers of mgr. It does not send applies that would change
// nothing.
func newClient(mgr ctrl.Manager) (*gate.Client, error) {
	g, err := gate.New(gate.Options{Release: "1.37"}) // the Kubernetes release of the cluster
	if err != nil {
		return nil, err
	}
	metrics.Registry.MustRegister(g)
	c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})
	return c, nil
}
