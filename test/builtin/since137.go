// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !v1.35 && !v1.36

package builtin

import _ "k8s.io/kubernetes/pkg/apis/lifecycle/install" // installs an API group that exists since 1.37
