// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package controllerruntime pins the release of controller-runtime whose fake
// client is tested over both engines, see cmd/suites.
package controllerruntime
