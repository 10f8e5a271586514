// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TypedClient is the name of RunTyped's scenario.
const TypedClient = "typed-client"

// RunTyped sends requests with client-go's generated clients, as a controller does. It applies
// apply configurations, extracts its own fields from the response, changes these fields, and
// applies them again. It also updates Go structs.
func (t Target) RunTyped(ctx context.Context) ([]Answer, error) {
	config := t.Config()
	config.ContentType = runtime.ContentTypeJSON // JSON makes the answers readable
	config.AcceptContentTypes = runtime.ContentTypeJSON
	rec := &recorder{sorted: t.Sorted}
	config.WrapTransport = func(next http.RoundTripper) http.RoundTripper { return rec.wrap(next) }
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	if err := typed(ctx, client, "e2e-"+TypedClient); err != nil {
		return nil, fmt.Errorf("%s on %s: %w", TypedClient, t.Name, err)
	}
	return rec.answers, rec.err
}

func typed(ctx context.Context, client kubernetes.Interface, ns string) error {
	const manager = "controller"
	opts := metav1.ApplyOptions{FieldManager: manager}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}

	deployments := client.AppsV1().Deployments(ns)
	labels := map[string]string{"app": "web"}
	want := appsac.Deployment("web", ns).WithSpec(appsac.DeploymentSpec().
		WithReplicas(2).
		WithSelector(metaac.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1ac.PodTemplateSpec().WithLabels(labels).WithSpec(corev1ac.PodSpec().
			WithContainers(corev1ac.Container().WithName("web").WithImage("web:1").
				WithPorts(corev1ac.ContainerPort().WithContainerPort(80)).
				WithEnv(corev1ac.EnvVar().WithName("A").WithValue("1"))))))
	live, err := deployments.Apply(ctx, want, opts)
	if err != nil {
		return err
	}
	owned, err := appsac.ExtractDeployment(live, manager)
	if err != nil {
		return err
	}
	container := &owned.Spec.Template.Spec.Containers[0]
	if len(container.Ports) != 1 || container.Ports[0].Protocol != nil {
		// The applied config did not set the protocol, so no manager owns it, and it must not
		// be extracted.
		return fmt.Errorf("extracted %d ports, want one without protocol", len(container.Ports))
	}
	container.WithPorts(corev1ac.ContainerPort().WithContainerPort(9090).WithName("metrics"))
	container.Env = nil
	if live, err = deployments.Apply(ctx, owned, opts); err != nil {
		return err
	}

	// Another controller writes the complete struct, including all zero values.
	live.Spec.Template.Spec.Containers[0].Image = "web:2"
	live.Spec.Template.Spec.Containers = append(live.Spec.Template.Spec.Containers, corev1.Container{Name: "side", Image: "side:1"})
	if live, err = deployments.Update(ctx, live, metav1.UpdateOptions{FieldManager: "mutator"}); err != nil {
		return err
	}
	live.Status.Replicas = 2
	if _, err = deployments.UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: "statuses"}); err != nil {
		return err
	}
	if _, err = deployments.Apply(ctx, want, opts); !apierrors.IsConflict(err) {
		return fmt.Errorf("another image applied: got %v, want a conflict", err)
	}
	opts.Force = true
	if _, err = deployments.Apply(ctx, want, opts); err != nil {
		return err
	}
	patch := []byte(`[{"op":"replace","path":"/spec/replicas","value":9},{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]`)
	if _, err = deployments.Patch(ctx, "web", types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: "patcher"}); err != nil {
		return err
	}

	services := client.CoreV1().Services(ns)
	service := corev1ac.Service("web", ns).WithSpec(corev1ac.ServiceSpec().
		WithPorts(corev1ac.ServicePort().WithPort(80), corev1ac.ServicePort().WithPort(80).WithProtocol(corev1.ProtocolUDP).WithName("u")))
	service.Spec.Ports[0].WithName("t")
	if _, err = services.Apply(ctx, service, opts); err != nil {
		return err
	}
	service.Spec.Ports = service.Spec.Ports[1:]
	stored, err := services.Apply(ctx, service, opts)
	if err != nil {
		return err
	}
	if len(stored.Spec.Ports) != 1 {
		return fmt.Errorf("%d ports remain, want 1", len(stored.Spec.Ports))
	}
	return nil
}

// recorder is an HTTP transport that records the answers to a client.
type recorder struct {
	sorted  bool // whether to convert the answers with the function Sorted
	mu      sync.Mutex
	answers []Answer
	err     error
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func (r *recorder) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
		if r.sorted {
			body = Sorted(body)
		}
		a, err := NewAnswer(resp.StatusCode, body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.answers = append(r.answers, a)
		if r.err == nil {
			r.err = err
		}
		return resp, nil
	})
}
