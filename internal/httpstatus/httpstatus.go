// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package httpstatus defines the HTTP statuses and methods that an API server uses. Package
// net/http has the same constants, but importing it links an HTTP client, a server and TLS into
// programs that do not need them.
package httpstatus

// These are the statuses that an API server returns.
const (
	OK                 = 200
	Created            = 201
	BadRequest         = 400
	Unauthorized       = 401
	Forbidden          = 403
	NotFound           = 404
	Conflict           = 409
	Gone               = 410
	Unprocessable      = 422
	TooManyRequests    = 429
	Internal           = 500
	BadGateway         = 502
	ServiceUnavailable = 503
	GatewayTimeout     = 504
)

// These are the methods of HTTP requests.
const (
	Get    = "GET"
	Patch  = "PATCH"
	Delete = "DELETE"
)
