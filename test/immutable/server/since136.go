// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !v1.35

package server

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourcepoolstatusrequest"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
)

// since136 adds the strategies that are new in 1.36, or have different arguments since 1.36.
func since136(all map[string]map[string]strategy) {
	all["resource.k8s.io"]["resourceclaims"] = resourceclaim.NewStrategy(anyNamespace{}, everything{})
	all["resource.k8s.io"]["resourcepoolstatusrequests"] = resourcepoolstatusrequest.Strategy
	all["scheduling.k8s.io"]["podgroups"] = podgroup.NewStrategy()
}

// everything is an authorizer that allows all requests.
type everything struct{}

func (everything) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
