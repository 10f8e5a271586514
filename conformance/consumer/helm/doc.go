// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package helm pins the release of Helm whose applies are tested over both engines, see
// cmd/suites.
package helm
