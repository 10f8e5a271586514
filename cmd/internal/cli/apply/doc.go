// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package apply has the commands that make a request and print what a server would store:
// apply and update. How the request is made is package server.
package apply
