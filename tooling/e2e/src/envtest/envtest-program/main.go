// Starts envtest of controller-runtime with the assets in KUBEBUILDER_ASSETS, and prints what it sees as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

type report struct {
	StartMilliseconds []int64 `json:"startMilliseconds"`
	StopMilliseconds  []int64 `json:"stopMilliseconds"`
	WidgetColor       string  `json:"widgetColor"`
	NamespaceEnded    bool    `json:"namespaceEnded"`
	DependentDeleted  bool    `json:"dependentDeleted"`
	UserForbidden     bool    `json:"userForbidden"`
	KubectlOutput     string  `json:"kubectlOutput"`
}

func main() {
	var result report
	for round := range 3 {
		if err := run(&result, round == 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

// Starts and stops one environment. The first one is used, the others only measure.
func run(result *report, isUsed bool) error {
	environment := &envtest.Environment{}
	if isUsed {
		environment.CRDDirectoryPaths = []string{os.Args[1]}
		environment.ErrorIfCRDPathMissing = true
	}
	begin := time.Now()
	config, err := environment.Start()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	result.StartMilliseconds = append(result.StartMilliseconds, time.Since(begin).Milliseconds())
	var useError error
	if isUsed {
		useError = use(environment, config, result)
	}
	begin = time.Now()
	if err := environment.Stop(); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	result.StopMilliseconds = append(result.StopMilliseconds, time.Since(begin).Milliseconds())
	return useError
}

func use(environment *envtest.Environment, config *rest.Config, result *report) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	admin, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	widget := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(3)}}}
	widget.SetAPIVersion("example.com/v1")
	widget.SetKind("Widget")
	widget.SetName("w")
	widget.SetNamespace("default")
	if err := admin.Create(ctx, widget); err != nil {
		return fmt.Errorf("create a widget: %w", err)
	}
	result.WidgetColor, _, _ = unstructured.NestedString(widget.Object, "spec", "color")

	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "short"}}
	if err := admin.Create(ctx, namespace); err != nil {
		return err
	}
	inside := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "inside", Namespace: "short"}}
	if err := admin.Create(ctx, inside); err != nil {
		return err
	}
	if err := admin.Delete(ctx, namespace); err != nil {
		return err
	}
	result.NamespaceEnded = untilGone(ctx, admin, namespace) == nil

	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner", Namespace: "default"}}
	if err := admin.Create(ctx, owner); err != nil {
		return err
	}
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}
	dependent := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dependent", Namespace: "default", OwnerReferences: []metav1.OwnerReference{reference}}}
	if err := admin.Create(ctx, dependent); err != nil {
		return err
	}
	if err := admin.Delete(ctx, owner); err != nil {
		return err
	}
	result.DependentDeleted = untilGone(ctx, admin, dependent) == nil

	user, err := environment.AddUser(envtest.User{Name: "alice", Groups: []string{"dev"}}, nil)
	if err != nil {
		return err
	}
	alice, err := client.New(user.Config(), client.Options{})
	if err != nil {
		return err
	}
	result.UserForbidden = apierrors.IsForbidden(alice.List(ctx, &corev1.SecretList{}))
	if _, err := os.Stat(environment.ControlPlane.KubectlPath); err != nil {
		result.KubectlOutput = "missing"
		return nil
	}
	admins, err := environment.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	kubectl, err := admins.Kubectl()
	if err != nil {
		return err
	}
	stdout, _, err := kubectl.Run("get", "widgets", "-o", "name")
	if err != nil {
		return err
	}
	output := make([]byte, 200)
	length, _ := stdout.Read(output)
	result.KubectlOutput = string(output[:length])
	return nil
}

func untilGone(ctx context.Context, reader client.Client, object client.Object) error {
	return wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		err := reader.Get(ctx, client.ObjectKeyFromObject(object), object)
		return apierrors.IsNotFound(err), nil
	})
}
