// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !v1.35 && !v1.36

package server

import (
	_ "k8s.io/kubernetes/pkg/apis/lifecycle/install"
	"k8s.io/kubernetes/pkg/registry/lifecycle/eviction"
	"k8s.io/kubernetes/pkg/registry/lifecycle/evictionrequest"
	"k8s.io/kubernetes/pkg/registry/scheduling/compositepodgroup"
	"k8s.io/utils/clock"
)

// since137 adds the strategies that are new in 1.37.
func since137(all map[string]map[string]strategy) {
	all["scheduling.k8s.io"]["compositepodgroups"] = compositepodgroup.NewStrategy()
	all["lifecycle.k8s.io"] = map[string]strategy{
		"evictions":        eviction.NewStrategy(clock.RealClock{}),
		"evictionrequests": evictionrequest.NewStrategy(),
	}
}
