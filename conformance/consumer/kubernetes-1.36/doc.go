// Package kubernetes pins the libraries of Kubernetes 1.36 for cmd/suites.
package kubernetes
