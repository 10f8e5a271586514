//go:build !unix

package wholefile

const nonBlocking = 0
