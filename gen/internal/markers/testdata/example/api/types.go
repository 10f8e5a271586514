// Package api has a type with two mistakes.
package api

// Service is reached at its ports.
type Service struct {
	// +default=TCP
	Protocol string `json:"protocol,omitempty"`

	// +default=80
	Port int32 `json:"port"`

	// +default="ClusterIP"
	Type string `json:"type,omitempty"`
}
