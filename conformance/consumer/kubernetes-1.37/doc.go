// Package kubernetes pins the Kubernetes libraries whose tests run over both
// engines, see cmd/suites. It is a module of its own: what Kubernetes requires
// stays out of the other modules.
package kubernetes
