// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import "testing"

// TestSample runs a sample of all changes. A case must fail for each change, unless
// survivors.txt lists the change.
func TestSample(t *testing.T) {
	oneOf := 12
	if testing.Short() {
		oneOf = 96
	}
	sources, err := Sources(module)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Mutate(sources)
	if err != nil {
		t.Fatal(err)
	}
	var some []Change
	var which []int
	for i := 0; i < len(all); i += oneOf {
		which = append(which, len(some))
		some = append(some, all[i])
	}
	p, err := Build(module, some)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	alive, err := p.Alive(which)
	if err != nil {
		t.Fatal(err)
	}
	known := Survivors()
	for _, i := range alive {
		if known[some[i].What] == "" {
			t.Errorf("no case detects this change: %s", some[i].What)
		}
	}
	t.Logf("%d of %d changes; %d do not compile, and no case detects %d", len(some), len(all), len(p.Refused), len(alive))
}
