module github.com/dovetail-ssa/dovetail/cmd

go 1.25.0

require (
	go.yaml.in/yaml/v2 v2.4.2
	go.yaml.in/yaml/v3 v3.0.4
	sigs.k8s.io/yaml v1.6.0
)
