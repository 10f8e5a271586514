// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build js

// Dovetail-engine is the WebAssembly program of the npm package @dovetail-ssa/engine.
//
// Its only argument is the name of a function in the global object of JavaScript. The program calls this
// function with two functions: call(text) answers a call of package jsoncall, and stop() ends the program.
// Both texts are JSON. web/engine/index.js is the only caller.
package main

import (
	"os"
	"syscall/js"

	"github.com/dovetail-ssa/dovetail/cmd/internal/jsoncall"
)

func main() {
	e, stopped := jsoncall.New(), make(chan struct{})
	call := js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(e.Call([]byte(args[0].String())))
	})
	stop := js.FuncOf(func(js.Value, []js.Value) any {
		close(stopped)
		return nil
	})
	js.Global().Call(os.Args[1], call, stop)
	<-stopped
}
