// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package apply has the commands apply and update. Each makes a request and prints the object
// that a server would store. Package prediction makes the request.
package apply
