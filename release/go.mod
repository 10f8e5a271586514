module github.com/dovetail-ssa/dovetail/release

go 1.26.0

require (
	github.com/CycloneDX/cyclonedx-go v0.11.0
	github.com/google/go-containerregistry v0.22.1
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/exp v0.0.0-20261113113407-e3970619a1a4
	golang.org/x/mod v0.43.0
	golang.org/x/tools v0.52.1-0.20261106145633-d407941a339a
)

require (
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
