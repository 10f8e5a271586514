// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// applyYielding applies settings without force. If another manager has changed the engine, it applies
// the other settings, and the field keeps the value of the other manager.
func applyYielding(ctx context.Context, c client.Client, settings *applycore.ConfigMapApplyConfiguration) error {
	const owner = client.FieldOwner("database-operator")
	err := c.Apply(ctx, settings, owner)
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict || cause.Field != ".data.engine" {
			return err // the controller does not yield this field
		}
	}
	delete(settings.Data, "engine")
	return c.Apply(ctx, settings, owner)
}
