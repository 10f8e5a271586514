// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dovetail-ssa/dovetail/kube/gate"
)

// followDefinitions passes each CRD of the cluster to the gate, and each change of a CRD. Call it
// before you start the manager.
func followDefinitions(ctx context.Context, mgr ctrl.Manager, g *gate.Gate) error {
	definition := &unstructured.Unstructured{}
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	informer, err := mgr.GetCache().GetInformer(ctx, definition)
	if err != nil {
		return err
	}
	define := func(object any) {
		if err := g.Define(object.(runtime.Object)); err != nil {
			mgr.GetLogger().Error(err, "cannot read a CRD")
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    define,
		UpdateFunc: func(_, object any) { define(object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			g.Forget(object.(client.Object).GetName())
		},
	})
	return err
}
