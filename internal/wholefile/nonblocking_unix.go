// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package wholefile

import "syscall"

const nonBlocking = syscall.O_NONBLOCK
