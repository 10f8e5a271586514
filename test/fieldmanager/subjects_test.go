// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// subject is a kind with a sample object. Random objects are parts of the sample.
type subject struct {
	kind string
	// versions are the served versions, beginning with the storage version.
	versions  []string
	hasStatus bool
	sample    map[string]any
}

func (s *subject) serves(version string) bool { return slices.Contains(s.versions, version) }

var subjects = []*subject{
	newSubject("ConfigMap", []string{"v1"}, false, `
metadata:
  labels: {app: web, tier: front}
  annotations: {note: x, owner: "y"}
  finalizers: [a, b, c]
  ownerReferences:
  - {apiVersion: v1, kind: Node, name: n1, uid: u1}
  - {apiVersion: v1, kind: Node, name: n2, uid: u2, controller: true}
data: {a: "1", b: "2", c: "3", d: "4", e: "5", g: "6", h: "7", "f:odd": "8", "<html>": "9"}
binaryData: {z: YQ==}
immutable: false
`),
	newSubject("Service", []string{"v1"}, true, `
metadata:
  labels: {app: web}
spec:
  selector: {app: web, tier: front}
  type: ClusterIP
  ports:
  - {port: 80, name: http, targetPort: 8080}
  - {port: 80, protocol: UDP, name: udp}
  - {port: 443, protocol: TCP, name: https, targetPort: tls}
  externalIPs: [10.0.0.1, 10.0.0.2]
  sessionAffinityConfig: {clientIP: {timeoutSeconds: 10}}
status:
  loadBalancer: {ingress: [{ip: 1.2.3.4, hostname: a}]}
  conditions:
  - {type: Ready, status: "True", reason: ok}
  - {type: Ports, status: "False", reason: "no", message: m}
`),
	newSubject("Deployment", []string{"apps/v1"}, true, `
metadata:
  labels: {app: web}
  annotations: {deployment.kubernetes.io/revision: "1"}
spec:
  replicas: 3
  paused: true
  selector: {matchLabels: {app: web}, matchExpressions: [{key: a, operator: In, values: [b]}]}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      serviceAccountName: sa
      nodeSelector: {disk: ssd}
      imagePullSecrets: [{name: p1}, {name: p2}]
      tolerations: [{key: a, operator: Exists}, {key: b, effect: NoExecute}]
      containers:
      - name: web
        image: web:1
        command: [run, fast]
        env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: x}}}]
        ports: [{containerPort: 80, name: http}, {containerPort: 80, protocol: UDP}]
        resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 500m}}
        volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w, readOnly: true}]
      - name: side
        image: side:1
        args: [a]
      volumes:
      - {name: v, emptyDir: {}}
      - {name: w, configMap: {name: c, items: [{key: k, path: p}]}}
status:
  replicas: 3
  observedGeneration: 4
  conditions:
  - {type: Available, status: "True", reason: ok}
`),
	newSubject("FlowSchema", []string{"flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1beta2"}, true, `
metadata:
  labels: {app: web}
spec:
  distinguisherMethod: {type: ByUser}
  matchingPrecedence: 100
  priorityLevelConfiguration: {name: p}
  rules:
  - subjects: [{kind: User, user: {name: u}}]
    nonResourceRules: [{verbs: [get], nonResourceURLs: ["*"]}]
status:
  conditions:
  - {type: Dangling, status: "False", reason: Found}
  - {type: Other, status: "True", reason: x}
`),
}

func newSubject(kind string, versions []string, hasStatus bool, sample string) *subject {
	return &subject{kind: kind, versions: versions, hasStatus: hasStatus, sample: plain.Object(sample)}
}
