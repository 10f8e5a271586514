// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "time"

var deviceRules = []*rule{
	{
		name:    "one-device",
		summary: "If allocationMode of a device request is ExactCount, count is 1.",
		types: []string{
			"io.k8s.api.resource.v1.ExactDeviceRequest", "io.k8s.api.resource.v1beta2.ExactDeviceRequest",
			"io.k8s.api.resource.v1.DeviceSubRequest", "io.k8s.api.resource.v1beta2.DeviceSubRequest", "io.k8s.api.resource.v1beta1.DeviceSubRequest",
		},
		writes: []string{"count"},
		fill:   oneDevice,
	},
	{
		name:    "one-device-of-a-class",
		summary: "In v1beta1, a device request with a device class has allocationMode ExactCount and count 1.",
		types:   inGroup("resource.v1beta1", "DeviceRequest"),
		writes:  []string{"allocationMode", "count"},
		fill: func(p *place) {
			if zero(p.data["deviceClassName"]) {
				return
			}
			if zero(p.data["allocationMode"]) {
				p.set("allocationMode", "ExactCount")
			}
			oneDevice(p)
		},
	},
	{
		name:    "time-of-taint",
		summary: "timeAdded of a taint is the time of the request.",
		types: []string{
			"io.k8s.api.resource.v1.DeviceTaint", "io.k8s.api.resource.v1beta2.DeviceTaint",
			"io.k8s.api.resource.v1beta1.DeviceTaint", "io.k8s.api.resource.v1alpha3.DeviceTaint",
		},
		writes: []string{"timeAdded"},
		fill: func(p *place) {
			if now := p.fill.Now; p.data["timeAdded"] == nil && !now.IsZero() {
				p.set("timeAdded", now.UTC().Truncate(time.Second).Format(time.RFC3339))
			}
		},
	},
}

func oneDevice(p *place) {
	if p.data["allocationMode"] == "ExactCount" && zero(p.data["count"]) {
		p.set("count", int64(1))
	}
}
