// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build js && releasesondemand

// Dovetail-engine is the WebAssembly program in the npm package @dovetail-ssa/engine. Only
// web/engine/index.js uses it.
//
// The only argument of the program is the name of a global JavaScript function. The program
// calls this function with three functions as arguments: call(text) passes a call to package
// jsoncall and returns the answer, load(release, bytes) loads the data of a Kubernetes
// release, and stop() ends the program. Answers are JSON.
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
	load := js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := make([]byte, args[1].Length())
		js.CopyBytesToGo(data, args[1])
		return string(jsoncall.LoadRelease(args[0].String(), data))
	})
	stop := js.FuncOf(func(js.Value, []js.Value) any {
		close(stopped)
		return nil
	})
	js.Global().Call(os.Args[1], call, load, stop)
	<-stopped
}
