// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package served describes the kinds that an API server serves: the built-in kinds of a
// release, and custom resources. A program can add and remove definitions of custom
// resources at any time. Start with [New], then call [Types.Server] to predict requests.
//
//	types, err := served.New(served.Options{Release: "1.37"})
//	definition, err := types.Define(widgets)
//	server := types.Server()
//
// The package does not validate or store definitions, and does not call conversion webhooks.
package served
