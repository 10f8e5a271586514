// Package kubernetes pins the libraries of Kubernetes 1.37 for cmd/suites.
package kubernetes
