// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is the dovetail command line. [Run] runs a command with arguments and streams:
//
//	os.Exit(cli.Run(os.Args[1:], cli.System()))
//
// This package defines the root command. Each folder implements a few related commands, with their
// flags, work and output:
//
//	apply         apply and update
//	diff          diff and its views
//	owners        owners and extract
//	doctor        doctor
//	migrate       migrate
//	objects       validate, default and immutable
//	definitions   schema, lint, cel and upgrade-check
//	serve         serve, a test server
//
// These folders do not import each other. They share the following packages:
//
//	report        prints human-readable results, and reports for scripts
//	writing       writes to a cluster, and undoes a write
//	prediction    predicts how an API server answers requests
//	fields        values, owners, defaults and changes by path
//	sources       loads schemas: built-in, from CRDs, from a cluster
//	input         reads files of objects, and reports errors with positions
//	cluster       a client for a cluster
//	command       streams, exit status and output formats of a command
//	encode        JSON, YAML and KYAML
//	unstructured  objects as maps and lists, and masks for Secrets
//	linediff      differences between the lines of two texts
//	words         values, names and times in messages
//	spool         data that may be too large for memory
//
// A command first reads its files (input) and finds the types of their objects (sources). For
// each object, it then predicts a request or examines the object (prediction). Finally, it prints
// the results (report). Package fieldmanager implements the rules of merging and ownership.
//
// Results go to standard output, and everything else to standard error. The exit status is one of
// the Status constants of package command. Commands read a cluster only if flags select one. Only
// package writing changes a cluster.
package cli
