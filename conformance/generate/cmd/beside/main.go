// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"sort"

	"github.com/dovetail-ssa/dovetail/conformance/generate/internal/beside"
	_ "embed"
)

//go:embed projects.yaml
var projects []byte

func main() {
	flag.Parse()
	all, err := beside.ReadProjects(projects)
	if err != nil {
		panic(err)
	}
	dir := "/tmp/genscratch/run"
	os.MkdirAll(dir, 0o777)
	tools, err := beside.Build(dir)
	if err != nil {
		panic(err)
	}
	for _, p := range all {
		if flag.NArg() > 0 {
			ok := false
			for _, a := range flag.Args() {
				ok = ok || a == p.Name
			}
			if !ok {
				continue
			}
		}
		out, err := tools.Generate(&p)
		if err != nil {
			fmt.Println(p.Name, err)
			continue
		}
		os.WriteFile(dir+"/"+p.Name+".ours.err", []byte(out.Ran.Ours.Stderr), 0o666)
		os.WriteFile(dir+"/"+p.Name+".theirs.err", []byte(out.Ran.Theirs.Stderr), 0o666)
		c, err := beside.Compare(out)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: ours %d (%d files) %v, theirs %d (%d files) %v; %d CRDs %d nodes %d differences\n", p.Name, out.Ran.Ours.Status, len(out.Ours), out.Ran.Ours.CPU, out.Ran.Theirs.Status, len(out.Theirs), out.Ran.Theirs.CPU, c.CRDs, c.Nodes, len(c.Differences))
		f, _ := os.Create(dir + "/" + p.Name + ".diff")
		count := map[string]int{}
		for _, d := range c.Differences {
			fmt.Fprintln(f, d)
			count[d.Keyword+" "+string(d.Side)]++
		}
		f.Close()
		var keys []string
		for k := range count {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			fmt.Println("   ", k, count[k])
		}
	}
}
