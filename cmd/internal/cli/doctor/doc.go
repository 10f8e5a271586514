// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package doctor has the command doctor, which finds problems in managed fields, repairs them, and
// shows how large managed fields are.
package doctor
