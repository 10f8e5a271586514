//go:build !declarativedefaults

package policy

const declarativeDefaults = false
