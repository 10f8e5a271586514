// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import "sync"

// workloads returns all workloads. The first call builds them, which takes time.
var workloads = sync.OnceValue(func() []*Workload {
	return []*Workload{
		pod(), deployment(), service(), node(), endpoints(1000), endpointSlice(1000), configMap(500), definition(), fleet(200),
		application(200), httpRoute(), prometheus(), secret(), files("ConfigMap1MB", 1, 1_000_000), files("ConfigMap1000kB", 1000, 1000),
		tree(50), document(7800),
	}
})
