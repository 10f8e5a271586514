// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// DryRunner answers the dry runs of Argo CD's server-side diff without requests to the server. It
// implements the interface ServerSideDryRunner in the package diff of gitops-engine. Like Argo CD, it
// forces conflicts.
type DryRunner struct {
	Gate *Gate
	// Live returns the live object that corresponds to applied, with its managed fields, from
	// Argo CD's cache. It returns nil if there is no such object.
	Live func(ctx context.Context, applied *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Server performs dry runs of objects whose type the gate does not know. If Server is nil, Run
	// returns an error for these objects.
	Server interface {
		Run(ctx context.Context, obj *unstructured.Unstructured, manager string) (string, error)
	}
}

// Run returns the object that the server would store, as JSON.
func (d *DryRunner) Run(ctx context.Context, obj *unstructured.Unstructured, manager string) (string, error) {
	live, err := d.Live(ctx, obj)
	if err != nil {
		return "", err
	}
	var before map[string]any
	if live != nil {
		before = live.Object
	}
	predicted, err := d.Gate.Predict(before, obj.Object, manager, true)
	if errors.Is(err, fieldmanager.ErrUnknownType) && d.Server != nil {
		return d.Server.Run(ctx, obj, manager)
	}
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(predicted)
	return string(data), err
}
