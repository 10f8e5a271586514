// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/version"

	"github.com/dovetail-ssa/dovetail/kube/native"
)

// Main is the main function of a release's program. It implements the protocol of
// package native over standard input and output. Main passes own to New.
func Main(own map[string]Provider) {
	gates := flag.String("feature-gates", "", "feature gates of the API server, such as A=true,B=false; by default, those of the release")
	flag.Parse()
	err := run(own, *gates, os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(own map[string]Provider, gates string, in io.Reader, out io.Writer) error {
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		return err
	}
	debug.SetMemoryLimit(512 << 20)
	engine := New(own)
	reader, writer := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	answers := json.NewEncoder(writer)
	answers.SetEscapeHTML(false)
	answer := func(v any) error {
		if err := answers.Encode(v); err != nil {
			return err
		}
		return writer.Flush()
	}
	if err := answer(Greeting()); err != nil {
		return err
	}
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := answer(engine.Answer(line)); err != nil {
			return err
		}
	}
}

// Greeting returns the greeting of a program that links this package.
func Greeting() native.Greeting {
	greeting := native.Greeting{Protocol: native.Protocol, Release: version.DefaultKubeBinaryVersion}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "k8s.io/kubernetes" {
				greeting.Kubernetes = m.Version
			}
		}
	}
	return greeting
}
