// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
)

// options holds the flags of the command serve.
type options struct {
	release, listen, token, kubeconfig, store string
	definitions                               input.Files
	tls, untilEOF                             bool
	proposals                                 sources.Proposals
	// native says which helper program validates built-in kinds, as given with --native.
	native string
	// program is a command line to run while the server is running. The server stops when the
	// program ends.
	program []string
}

// New returns the command serve.
func New(r *command.Run) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "serve [-- COMMAND [ARGS]]",
		Short: "Run an API server for tests",
		Long: `Run an API server for tests. It serves discovery, OpenAPI, objects of all built-in kinds and of
CRDs, watches, patches, server-side apply, dry runs, status and scale. Managed fields, defaults,
conflicts and immutable fields behave as on a server of the same Kubernetes release.

With COMMAND, serve runs COMMAND with KUBECONFIG set, and stops when COMMAND ends. Without
COMMAND, serve prints the kubeconfig, and stops when it is interrupted. With --until-eof, it also
stops when its standard input ends, so the server does not outlive the program that started it.

By default, the server listens on a free port of this machine, which other machines cannot
reach. To use another address, set --listen. Clients need no credentials, unless you set
--token, which needs --tls.

The server stores objects in memory. With --store, it also stores them in a file. A later
server that uses this file starts with the same objects, even if the first server was killed. The
file contains Secrets in plain text.

--declarative-defaults and --immutability-markers turn on proposals (KEP-1929, KEP-1101) that no
released API server implements. They also apply to custom resources.

The server has no controllers, no scheduler, no garbage collector, no authorization, no
webhooks and no admission policies. docs/test-server.md lists all limits.

Exit status: 0 done; 3 invalid input, or the address is not available; with COMMAND, the
status of COMMAND.`,
		Example: `  # Run tests against their own server. KUBECONFIG is set for the tests.
  dovetail serve --crd crd.yaml -- pytest
  dovetail serve -- npm test

  # Run two commands on the same stored objects.
  dovetail serve --store store.ndjson -- sh -c 'dovetail apply -f service.yaml --field-manager web --kubeconfig "$KUBECONFIG" --write --yes --undo written.json'
  dovetail serve --store store.ndjson -- sh -c 'dovetail owners service/web --kubeconfig "$KUBECONFIG"'

  # Run a server of another release, with HTTPS and a token.
  dovetail serve --kubernetes-version 1.36 --tls --token secret --kubeconfig-out serve.config -- dovetail owners -f service.yaml`,
	}
	c = r.Command(c, func() error { return o.serve(r) })
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && c.ArgsLenAtDash() != 0 {
			return command.Usagef("unexpected argument %q: write -- before a command to run", args[0])
		}
		o.program = args
		return nil
	}
	f := c.Flags()
	o.definitions.Register(f, "crd", "", "CustomResourceDefinitions to serve: a file or directory (repeatable)")
	f.StringVar(&o.release, "kubernetes-version", "", "Kubernetes `release` of the server, such as 1.36 (default: see \"dovetail version\")")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 selects a free port")
	f.StringVar(&o.store, "store", "", "`file` in which the server stores objects, created if necessary; only one server can use it at a time")
	f.StringVar(&o.kubeconfig, "kubeconfig-out", "", "write the kubeconfig to this `file`")
	f.BoolVar(&o.tls, "tls", false, "serve HTTPS; the kubeconfig contains the certificate")
	f.StringVar(&o.token, "token", "", "`secret` that clients must send (needs --tls); the kubeconfig contains it")
	f.BoolVar(&o.untilEOF, "until-eof", false, "stop when standard input ends")
	sources.RegisterNative(f, &o.native)
	o.proposals.RegisterDeclarative(f)
	o.proposals.RegisterServedMarkers(f)
	return c
}
