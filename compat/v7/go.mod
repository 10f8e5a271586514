module sigs.k8s.io/structured-merge-diff/v7

go 1.27.0

require github.com/dovetail-ssa/dovetail v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)

replace github.com/dovetail-ssa/dovetail => ../..
