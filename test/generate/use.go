// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	_ "github.com/dovetail-ssa/dovetail/examples/proxy/api/v1"
	_ "github.com/dovetail-ssa/dovetail/kube/crd"
	_ "github.com/dovetail-ssa/dovetail/kube/openapi"
	_ "github.com/dovetail-ssa/dovetail/typed"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "sigs.k8s.io/gateway-api/apis/v1"
)
