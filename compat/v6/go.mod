module sigs.k8s.io/structured-merge-diff/v6

go 1.24.0

require github.com/dovetail-ssa/dovetail v0.0.0

require go.yaml.in/yaml/v2 v2.4.2 // indirect

replace github.com/dovetail-ssa/dovetail => ../..
