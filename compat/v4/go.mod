module sigs.k8s.io/structured-merge-diff/v4

go 1.24.0

require (
	github.com/dovetail-ssa/dovetail v0.0.0
	github.com/json-iterator/go v1.1.12
)

require (
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)

replace github.com/dovetail-ssa/dovetail => ../..
