// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build v1.35

package server

import "k8s.io/kubernetes/pkg/registry/resource/resourceclaim"

func since136(all map[string]map[string]strategy) {
	all["resource.k8s.io"]["resourceclaims"] = resourceclaim.NewStrategy(anyNamespace{})
}
