// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package proxy tests a small API group whose defaults are declared with markers: its Go types
// are decoded, defaulted and converted as in an API server. The group is in api/v1; the
// generated files are in api/v1 and config.
package proxy
