// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"golang.org/x/mod/semver"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var upgrades = flag.Bool("upgrades", false, "download pairs of releases of projects, and run upgrade-check on them")

// pair is an upgrade of a project. The field old is the folder with the CRDs. If the new
// release has the CRDs in another folder, the field now is that folder.
type pair struct{ module, from, to, old, now string }

// pairs are the upgrades to check. The modules of the first pair are also used by other tests.
var pairs = []pair{
	{"sigs.k8s.io/gateway-api", "v1.3.0", "v1.4.0", "config/crd/standard", ""},
	{"sigs.k8s.io/gateway-api", "v1.4.0", "v1.7.0", "config/crd/standard", ""},
	{"sigs.k8s.io/gateway-api", "v1.6.3", "v1.7.0", "config/crd/experimental", ""},
	{"github.com/cert-manager/cert-manager", "v1.17.2", "v1.21.2", "deploy/crds", ""},
	{"github.com/prometheus-operator/prometheus-operator", "v0.82.2", "v0.85.0", "example/prometheus-operator-crd", ""},
	{"github.com/external-secrets/external-secrets", "v0.16.1", "v1.3.2", "config/crds/bases", ""},
	{"sigs.k8s.io/kueue", "v0.11.4", "v0.17.0", "config/components/crd", ""},
	{"sigs.k8s.io/cluster-api", "v1.10.1", "v1.14.2", "config/crd", "core/config/crd"},
	{"sigs.k8s.io/cluster-api", "v1.13.6", "v1.14.2", "config/crd", "core/config/crd"},
	{"github.com/kedacore/keda/v2", "v2.17.0", "v2.21.0", "config/crd/bases", ""},
	{"github.com/crossplane/crossplane", "v1.20.0", "v2.4.0", "cluster/crds", ""},
	{"github.com/crossplane/crossplane/v2", "v2.3.0", "v2.4.0", "cluster/crds", ""},
	{"github.com/argoproj/argo-cd/v3", "v3.5.7", "v3.6.1", "manifests/crds", ""},
	{"sigs.k8s.io/karpenter", "v1.4.0", "v1.15.0", "pkg/apis/crds", ""},
	{"go.universe.tf/metallb", "v0.15.2", "v0.16.2", "config/crd/bases", ""},
	{"github.com/envoyproxy/gateway", "v1.8.0", "v1.9.1", "charts/gateway-helm/charts/crds/crds/generated", ""},
	{"istio.io/api", "v1.26.0", "v1.31.4", "kubernetes", ""},
	{"github.com/kyverno/kyverno", "v1.18.2", "v1.19.1", "config/crds/kyverno", ""},
	{"github.com/kyverno/kyverno", "v1.18.2", "v1.19.1", "config/crds/policies.kyverno.io", ""},
	{"github.com/fluxcd/source-controller", "v1.9.6", "v1.10.1", "config/crd/bases", ""},
	{"github.com/traefik/traefik/v3", "v3.6.12", "v3.7.13", "docs/content/reference/dynamic-configuration", ""},
}

// releases returns the upgrades of Kubernetes to check: from each release to the next one, and
// two over several releases.
func releases() (all [][2]string) {
	versions := openapi.Releases()
	minor := func(version string) string { return semver.MajorMinor(version)[1:] }
	for i := range versions[1:] {
		all = append(all, [2]string{minor(versions[i]), minor(versions[i+1])})
	}
	return append(all, [2]string{"1.35", "1.37"}, [2]string{"1.33", "1.38"})
}

// TestUpgradePairs compares the findings of upgrade-check with testdata/upgrades.txt. This file
// explains for each finding whether it is true. The test fails if the file lacks a finding, or
// if a finding in the file no longer occurs.
func TestUpgradePairs(t *testing.T) {
	judged := readJudged(t)
	tool, err := gocmd.Dovetail(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "project\tfrom\tto\tCRDs\terrors\twarnings\thints\twhich\t")
	for i, p := range pairs {
		if i > 0 && !*upgrades {
			break
		}
		old := crdsIn(t, p.module+"@"+p.from, p.old)
		now := crdsIn(t, majored(p.module, p.to)+"@"+p.to, cmp.Or(p.now, p.old))
		dir := t.TempDir()
		args := []string{"--old-crd", filepath.Join(dir, "old.json"), "--new-crd", filepath.Join(dir, "new.json")}
		for i, docs := range [][]any{old, now} {
			if err := os.WriteFile(args[2*i+1], []byte(plain.Text(map[string]any{"apiVersion": "v1", "kind": "List", "items": docs})), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprintf("%s %s %s %s", p.module, p.from, p.to, cmp.Or(p.now, p.old))
		found := check(t, tool, args...)
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t\n", p.module, p.from, p.to, len(old), sum(found))
		compareWithJudged(t, name, judged[name], found)
		delete(judged, name)
	}
	for _, r := range releases() {
		name := fmt.Sprintf("Kubernetes %s %s", r[0], r[1])
		found := check(t, tool, "--old-kubernetes", r[0], "--new-kubernetes", r[1])
		fmt.Fprintf(w, "Kubernetes\t%s\t%s\t\t%s\t\n", r[0], r[1], sum(found))
		compareWithJudged(t, name, judged[name], found)
		delete(judged, name)
	}
	w.Flush()
	t.Logf("\n%s", table.Bytes())
	if *upgrades && len(judged) > 0 {
		t.Errorf("testdata/upgrades.txt lists upgrades that are not tested: %v", sortedKeys(judged))
	}
}

// majored returns the path of a module, with the major version if it is v2 or higher.
func majored(module, version string) string {
	major, _, _ := strings.Cut(version, ".")
	if major == "v0" || major == "v1" || path.Base(module) == major {
		return module
	}
	return module + "/" + major
}

// change is one finding of upgrade-check about an API version of a kind.
type change struct{ APIVersion, Kind, Path, Rule, Severity string }

// check runs upgrade-check and returns its findings.
func check(t *testing.T, tool string, args ...string) []change {
	t.Helper()
	out, err := exec.Command(tool, append([]string{"upgrade-check", "--min-severity", "hint", "-o", "report"}, args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	var report struct {
		Objects []struct {
			APIVersion, Kind string
			Changes          []change
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	var all []change
	for _, object := range report.Objects {
		for _, c := range object.Changes {
			c.APIVersion, c.Kind = object.APIVersion, object.Kind
			all = append(all, c)
		}
	}
	return all
}

// sum returns the cells of a table row that count the findings.
func sum(found []change) string {
	by, rules := map[string]int{}, map[string]int{}
	for _, c := range found {
		by[c.Severity]++
		rules[c.Rule]++
	}
	var list []string
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		list = append(list, fmt.Sprintf("%d %s", rules[id], id))
	}
	return fmt.Sprintf("%d\t%d\t%d\t%s", by["error"], by["warning"], by["hint"], strings.Join(list, ", "))
}

// judgement is a line of testdata/upgrades.txt: a number of findings of one rule at one path.
// A path that begins with * stands for all paths that end with the text after the *.
type judgement struct {
	line  string
	count int
	rule  string
	path  string
}

func readJudged(t *testing.T) map[string][]*judgement {
	t.Helper()
	data, err := os.ReadFile("testdata/upgrades.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, name := map[string][]*judgement{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			name = line
			all[name] = nil
		default:
			j := &judgement{line: line}
			_, why, _ := strings.Cut(line, ": ")
			if n, err := fmt.Sscan(line, &j.count, &j.rule, &j.path); n != 3 || why == "" {
				t.Fatalf("testdata/upgrades.txt: cannot read the line %q: %v", line, err)
			}
			j.path = strings.TrimSuffix(j.path, ":")
			all[name] = append(all[name], j)
		}
	}
	return all
}

// compareWithJudged compares findings with the lines of testdata/upgrades.txt.
func compareWithJudged(t *testing.T, name string, judged []*judgement, found []change) {
	t.Helper()
	left := map[*judgement]int{}
	for _, c := range found {
		i := slices.IndexFunc(judged, func(j *judgement) bool {
			end, ends := strings.CutPrefix(j.path, "*")
			return j.rule == c.Rule && (j.path == c.Path || ends && strings.HasSuffix(c.Path, end))
		})
		if i < 0 {
			t.Errorf("%s: testdata/upgrades.txt does not list the finding %s %s %s: %s", name, c.APIVersion, c.Kind, c.Path, c.Rule)
			continue
		}
		left[judged[i]]++
	}
	for _, j := range judged {
		if left[j] != j.count {
			t.Errorf("%s: a finding occurs %d times, but testdata/upgrades.txt says: %s", name, left[j], j.line)
		}
	}
}

// crdsIn returns the CRDs in a folder of a module. If the folder has a kustomization, it reads
// the files and the patches for conversion that the kustomization lists.
func crdsIn(t *testing.T, module, folder string) []any {
	t.Helper()
	dir, err := gocmd.Download(module)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, folder)
	files, err := filepath.Glob(filepath.Join(dir, "*.y*ml"))
	if err != nil {
		t.Fatal(err)
	}
	crds := definitions(t, files)
	if len(crds) == 0 {
		crds = kustomized(t, dir)
	}
	if len(crds) == 0 {
		t.Fatalf("%s: no CRDs in %s", module, folder)
	}
	all := make([]any, len(crds))
	for i, d := range crds {
		all[i] = d
	}
	return all
}

func kustomized(t *testing.T, dir string) []map[string]any {
	t.Helper()
	var resources, patches []string
	for _, doc := range documents(t, filepath.Join(dir, "kustomization.yaml")) {
		for _, r := range doc["resources"].([]any) {
			resources = append(resources, filepath.Join(dir, r.(string)))
		}
		listed, _ := doc["patches"].([]any)
		for _, p := range listed {
			if at, ok := p.(map[string]any)["path"].(string); ok {
				patches = append(patches, filepath.Join(dir, at))
			}
		}
	}
	crds := definitions(t, resources)
	for _, patch := range definitions(t, patches) {
		spec, _ := patch["spec"].(map[string]any)
		for _, d := range crds {
			if spec != nil && d["metadata"].(map[string]any)["name"] == patch["metadata"].(map[string]any)["name"] {
				d["spec"].(map[string]any)["conversion"] = spec["conversion"]
			}
		}
	}
	return crds
}

// definitions returns the documents in the files that are CRDs or patches of CRDs.
func definitions(t *testing.T, files []string) (crds []map[string]any) {
	t.Helper()
	for _, file := range files {
		for _, doc := range documents(t, file) {
			if doc["kind"] == "CustomResourceDefinition" {
				crds = append(crds, doc)
			}
		}
	}
	return crds
}

func documents(t *testing.T, file string) (all []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := manifest.ReadValues(file, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if m, ok := d.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}
