// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package served knows the kinds that an API server serves: the built-in ones of a release, and
// custom resources, whose definitions come and go while the server runs. Start from [New], and
// ask [Types.Server] for predictions.
//
//	types, err := served.New("1.37")
//	definition, err := types.Define(widgets)
//	server := types.Server()
//
// It judges no definition, stores none, and converts by no webhook.
package served
