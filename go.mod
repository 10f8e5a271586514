module github.com/dovetail-ssa/dovetail

go 1.24.0

require go.yaml.in/yaml/v2 v2.4.2
