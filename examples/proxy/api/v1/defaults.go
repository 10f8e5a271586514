// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// SetDefaults_Proxy sets the defaults that depend on other fields. The generated code calls it
// before it fills in the declared defaults.
func SetDefaults_Proxy(in *Proxy) {
	if in.Spec.Host == "" {
		in.Spec.Host = in.Name
	}
	if in.Spec.Class == "" && strings.HasPrefix(in.Name, "internal-") {
		in.Spec.Class = "internal"
	}
}

// SetDefaults_Port sets the defaults of one port. The generated code calls it for each port.
func SetDefaults_Port(in *Port) {
	if in.TargetPort == nil {
		port := intstr.FromInt32(in.Port)
		in.TargetPort = &port
	}
	if in.Name == "" && in.Protocol == "" {
		in.Name = fmt.Sprintf("port-%d", in.Port)
	}
}
