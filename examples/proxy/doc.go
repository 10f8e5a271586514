// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package proxy tests a small API group whose defaults are declared with markers:
// as Go types, decoded, defaulted and converted as an API server does it. The
// group itself is in api/v1, what is made from it in api/v1 and config.
package proxy
