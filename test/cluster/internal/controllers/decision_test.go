// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// greet applies a ConfigMap, and logs whether the client sent the apply.
func greet(ctx context.Context, c *gate.Client) error {
	want := applycore.ConfigMap("greetings", "default").WithData(map[string]string{"hello": "world"})
	decision, err := gate.Apply(ctx, c, want, "greeter", client.ForceOwnership)
	ctrl.LoggerFrom(ctx).Info("applied", "sent", decision.Send(), "reason", decision.Reason)
	return err
}
