// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package proxy tests an example API group whose defaults are declared with markers. The tests
// decode, default and convert objects of its Go types, as an API server does. Folder api/v1
// contains the types. Generated files are in api/v1 and config.
package proxy
