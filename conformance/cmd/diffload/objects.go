package main

import (
	"bytes"
	"strings"
	"text/template"
)

// object is what a template sees.
type object struct {
	Kind string
	N    int
	// Live has what a server and its controllers add, Changed what a new config
	// would change.
	Live, Changed bool
}

// kinds are the built-in kinds that objects are made of, in turns.
var kinds = []string{"Deployment", "Service", "ConfigMap", "StatefulSet", "Ingress", "DaemonSet", "Secret", "Job", "HorizontalPodAutoscaler", "Role"}

var templates = template.Must(template.New("objects").Parse(strings.ReplaceAll(`
{{define "object"}}apiVersion: {{template "version" .}}
kind: {{.Kind}}
metadata:
  name: app-{{.N}}
  namespace: team-{{.N}}
  labels:
    app.kubernetes.io/name: app-{{.N}}
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/version: "1.{{.N}}"
  annotations:
    example.com/owner: team-{{.N}}@example.com
{{- if .Live}}
    deployment.kubernetes.io/revision: "7"
  creationTimestamp: "2026-03-01T10:00:00Z"
  generation: 7
  resourceVersion: "48{{.N}}"
  uid: 3d8d6a3e-7d19-4c1e-9c36-{{printf "%012d" .N}}
{{- end}}
{{if eq .Kind "Deployment"}}{{template "Deployment" .}}
{{else if eq .Kind "StatefulSet"}}{{template "StatefulSet" .}}
{{else if eq .Kind "DaemonSet"}}{{template "DaemonSet" .}}
{{else if eq .Kind "Job"}}{{template "Job" .}}
{{else if eq .Kind "Service"}}{{template "Service" .}}
{{else if eq .Kind "ConfigMap"}}{{template "ConfigMap" .}}
{{else if eq .Kind "Secret"}}{{template "Secret" .}}
{{else if eq .Kind "Ingress"}}{{template "Ingress" .}}
{{else if eq .Kind "Role"}}{{template "Role" .}}
{{else}}{{template "HorizontalPodAutoscaler" .}}
{{end}}{{end}}

{{define "version"}}{{if or (eq .Kind "Deployment") (eq .Kind "StatefulSet") (eq .Kind "DaemonSet")}}apps/v1
{{- else if eq .Kind "Job"}}batch/v1
{{- else if eq .Kind "Ingress"}}networking.k8s.io/v1
{{- else if eq .Kind "HorizontalPodAutoscaler"}}autoscaling/v2
{{- else if eq .Kind "Role"}}rbac.authorization.k8s.io/v1
{{- else}}v1{{end}}{{end}}

{{define "Deployment"}}spec:
  replicas: {{if .Changed}}4{{else}}3{{end}}
  selector:
    matchLabels:
      app.kubernetes.io/name: app-{{.N}}
{{- if .Live}}
  progressDeadlineSeconds: 600
  revisionHistoryLimit: 10
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 25%
{{- end}}
{{template "pod" .}}
{{- if .Live}}
status:
  availableReplicas: 3
  observedGeneration: 7
  readyReplicas: 3
  replicas: 3
  updatedReplicas: 3
  conditions:
  - lastTransitionTime: "2026-03-01T10:00:00Z"
    lastUpdateTime: "2026-03-01T10:00:00Z"
    message: ReplicaSet "app-{{.N}}" has successfully progressed.
    reason: NewReplicaSetAvailable
    status: "True"
    type: Progressing
{{- end}}{{end}}

{{define "StatefulSet"}}spec:
  replicas: 3
  serviceName: app-{{.N}}
  selector:
    matchLabels:
      app.kubernetes.io/name: app-{{.N}}
{{template "pod" .}}
  volumeClaimTemplates:
  - metadata:
      name: data
    spec:
      accessModes:
      - ReadWriteOnce
      resources:
        requests:
          storage: 10Gi
      volumeMode: Filesystem
{{- if .Live}}
  podManagementPolicy: OrderedReady
  revisionHistoryLimit: 10
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      partition: 0
status:
  replicas: 3
  readyReplicas: 3
  currentRevision: app-{{.N}}-7
{{- end}}{{end}}

{{define "DaemonSet"}}spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: app-{{.N}}
{{- if .Live}}
  revisionHistoryLimit: 10
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 0
      maxUnavailable: 1
{{- end}}
{{template "pod" .}}
{{- if .Live}}
status:
  currentNumberScheduled: 5
  desiredNumberScheduled: 5
  numberMisscheduled: 0
  numberReady: 5
{{- end}}{{end}}

{{define "Job"}}spec:
  backoffLimit: 6
{{- if .Live}}
  completionMode: NonIndexed
  completions: 1
  parallelism: 1
  suspend: false
{{- end}}
{{template "pod" .}}
{{- if .Live}}
status:
  active: 1
  ready: 1
  startTime: "2026-03-01T10:00:00Z"
{{- end}}{{end}}

{{define "pod"}}  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-{{.N}}
    spec:
{{- if .Live}}
      dnsPolicy: ClusterFirst
      schedulerName: default-scheduler
      terminationGracePeriodSeconds: 30
{{- end}}
      restartPolicy: {{if eq .Kind "Job"}}Never{{else}}Always{{end}}
      serviceAccountName: app-{{.N}}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
      containers:
      - name: app
        image: registry.example.com/shop/app-{{.N}}:1.{{if .Changed}}5{{else}}4{{end}}
        args:
        - serve
        - --port=8080
        env:
        - name: LOG_LEVEL
          value: info
        - name: DATABASE_URL
          valueFrom:
            secretKeyRef:
              name: database
              key: url
        - name: POD_NAME
          valueFrom:
            fieldRef:
              apiVersion: v1
              fieldPath: metadata.name
        ports:
        - name: http
          containerPort: 8080
{{- if .Live}}
          protocol: TCP
{{- end}}
        - name: metrics
          containerPort: 9090
          protocol: TCP
        readinessProbe:
          httpGet:
            path: /ready
            port: http
{{- if .Live}}
            scheme: HTTP
          failureThreshold: 3
          periodSeconds: 10
          successThreshold: 1
          timeoutSeconds: 1
{{- end}}
        resources:
          limits:
            cpu: "1"
            memory: 512Mi
          requests:
            cpu: 100m
            memory: 256Mi
{{- if .Live}}
        imagePullPolicy: IfNotPresent
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
{{- end}}
        volumeMounts:
        - name: config
          mountPath: /etc/app
          readOnly: true
      - name: proxy
        image: registry.example.com/proxy:2.1
        ports:
        - name: proxy
          containerPort: 15001
{{- if .Live}}
          protocol: TCP
{{- end}}
        resources:
          requests:
            cpu: 10m
            memory: 64Mi
{{- if .Live}}
        imagePullPolicy: IfNotPresent
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
{{- end}}
      volumes:
      - name: config
        configMap:
          name: app-{{.N}}
{{- if .Live}}
          defaultMode: 420
{{- end}}{{end}}

{{define "Service"}}spec:
  selector:
    app.kubernetes.io/name: app-{{.N}}
  type: {{if .Changed}}NodePort{{else}}ClusterIP{{end}}
  ports:
  - name: http
    port: 80
    targetPort: http
{{- if .Live}}
    protocol: TCP
{{- end}}
  - name: dns
    port: 53
    protocol: UDP
    targetPort: 53
{{- if .Live}}
  clusterIP: 10.96.1.2
  clusterIPs:
  - 10.96.1.2
  internalTrafficPolicy: Cluster
  ipFamilies:
  - IPv4
  ipFamilyPolicy: SingleStack
  sessionAffinity: None
status:
  loadBalancer: {}
{{- end}}{{end}}

{{define "ConfigMap"}}data:
  level: {{if .Changed}}debug{{else}}info{{end}}
  app.yaml: |
    server:
      port: 8080
      timeout: 30s
    database:
      pool: 20
      name: app-{{.N}}
    features:
    - search
    - cart
    - checkout
  nginx.conf: |
    worker_processes 4;
    events { worker_connections 1024; }
    http {
      server { listen 8080; location / { proxy_pass http://app-{{.N}}; } }
    }{{end}}

{{define "Secret"}}type: Opaque
data:
  user: YXBw
  password: c2VjcmV0LXNlY3JldC1zZWNyZXQ=
  url: cG9zdGdyZXM6Ly9hcHA6c2VjcmV0QGRhdGFiYXNlOjU0MzIvYXBw{{end}}

{{define "Ingress"}}spec:
  ingressClassName: nginx
  tls:
  - hosts:
    - app-{{.N}}.example.com
    secretName: app-{{.N}}-tls
  rules:
  - host: app-{{.N}}.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: app-{{.N}}
            port:
              name: http
{{- if .Live}}
status:
  loadBalancer:
    ingress:
    - ip: 192.0.2.1
{{- end}}{{end}}

{{define "HorizontalPodAutoscaler"}}spec:
  minReplicas: 2
  maxReplicas: {{if .Changed}}12{{else}}10{{end}}
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: app-{{.N}}
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 80
{{- if .Live}}
status:
  currentReplicas: 3
  desiredReplicas: 3
{{- end}}{{end}}

{{define "Role"}}rules:
- apiGroups:
  - ""
  resources:
  - configmaps
  - secrets
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - get{{end}}
`, "\t", "  ")))

// documents returns count objects, one document each.
func documents(count int, live bool, changed func(n int) bool) ([]byte, error) {
	var out bytes.Buffer
	for n := range count {
		out.WriteString("---\n")
		o := object{Kind: kinds[n%len(kinds)], N: n, Live: live, Changed: changed(n)}
		if err := templates.ExecuteTemplate(&out, "object", o); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
