module github.com/dovetail-ssa/dovetail/conformance/differential

go 1.24.0

require (
	go.yaml.in/yaml/v2 v2.4.2
	sigs.k8s.io/structured-merge-diff/v6 v6.4.2
)

require sigs.k8s.io/yaml v1.4.0 // indirect

require (
	github.com/dovetail-ssa/dovetail v0.0.0
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	sigs.k8s.io/structured-merge-diff/v4 v4.7.0
)

replace github.com/dovetail-ssa/dovetail => ../..
