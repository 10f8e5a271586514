// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
)

// options are what the flags of serve say.
type options struct {
	release, listen, token, kubeconfig, store string
	definitions                               []string
	tls                                       bool
	// native says where the program with the code of the release is.
	native string
	// program is run beside the server, which ends with it.
	program []string
}

// New makes the command serve.
func New(r *command.Run) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "serve [-- COMMAND [ARGS]]",
		Short: "Be an API server for tests",
		Long: `Serve what clients of Kubernetes ask for: discovery, OpenAPI, objects of all
built-in kinds and of CRDs, watches, patches, server-side apply, dry runs, status and
scale. Managed fields, defaults, conflicts and what may not change are those of a server
of the release.

With COMMAND, this is run with KUBECONFIG set, and the server ends with it. Otherwise the
kubeconfig is printed, and the server ends when it is interrupted.

It listens on the loopback interface, on a free port, unless --listen says otherwise. Nobody
has to show who they are, unless there is a --token, which needs --tls.

Objects are in memory. With --store they are kept in a file, too: the next server has them,
also if this one was killed. The file holds Secrets as they are.

It is no control plane: there are no controllers, no scheduler, no garbage collector, no
authorisation, no webhooks and no admission policies. docs/test-server.md has the whole list.

Exit status: 0 done; 3 bad input, or no address to listen on; with COMMAND, its own.`,
		Example: `  # Run a test against a server of its own.
  dovetail serve --crd crd.yaml -- sh -c 'dovetail diff -f service.yaml --field-manager web --kubeconfig "$KUBECONFIG"; test $? = 1'

  # Two commands on what is kept in a file.
  dovetail serve --store store.ndjson -- sh -c 'dovetail apply -f service.yaml --field-manager web --kubeconfig "$KUBECONFIG" --write --yes --undo written.json'
  dovetail serve --store store.ndjson -- sh -c 'dovetail owners service/web --kubeconfig "$KUBECONFIG"'

  # Of another release, with HTTPS and a token, for a command that reads a kubeconfig.
  dovetail serve --kubernetes-version 1.36 --tls --token secret --kubeconfig-out serve.config -- \
    dovetail owners -f service.yaml`,
	}
	c = r.Command(c, func() error { return o.serve(r) })
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && c.ArgsLenAtDash() != 0 {
			return command.Usagef("unexpected argument %q: a command to run stands behind --", args[0])
		}
		o.program = args
		return nil
	}
	f := c.Flags()
	f.StringArrayVar(&o.definitions, "crd", nil, "`file` with CustomResourceDefinitions that are served (repeatable)")
	f.StringVar(&o.release, "kubernetes-version", "", "`release` of Kubernetes that the server is of, as 1.36 (default that of the command version)")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 is a free one")
	f.StringVar(&o.store, "store", "", "`file` that objects are kept in, of one server at a time; it is made if it is not there")
	f.StringVar(&o.kubeconfig, "kubeconfig-out", "", "`file` that the kubeconfig is written to")
	f.BoolVar(&o.tls, "tls", false, "serve HTTPS, with a certificate that the kubeconfig has")
	f.StringVar(&o.token, "token", "", "`secret` that clients have to show, with --tls; the kubeconfig has it")
	sources.RegisterNative(f, &o.native)
	return c
}
