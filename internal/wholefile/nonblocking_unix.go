//go:build unix

package wholefile

import "syscall"

const nonBlocking = syscall.O_NONBLOCK
