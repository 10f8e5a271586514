// Package controllerruntime pins the release of controller-runtime whose fake
// client is tested over both engines, see cmd/suites.
package controllerruntime
