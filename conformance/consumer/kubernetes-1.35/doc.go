// Package kubernetes pins the libraries of Kubernetes 1.35 for cmd/suites.
package kubernetes
