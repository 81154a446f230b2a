package checks

import (
	"context"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

var writes = []check{
	{"retried-on-conflict", retried},
	{"deletecollection", deleteCollection},
	{"preconditions", preconditions},
	{"generated-names-and-dry-run", generatedNames},
	{"binding-and-eviction", bindingAndEviction},
	{"finalizers", finalizers},
	{"deleting-owners-deletes-dependents", owners},
	{"errors-as-status", refusals},
}

func retried(ctx context.Context, target Target) {
	const writers, rounds = 4, 5
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	need(maps.Create(ctx, configMap("contended", nil), metav1.CreateOptions{}))
	patiently := retry.DefaultBackoff
	patiently.Steps = 100
	patiently.Factor = 1
	failures := make(chan error, writers)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range rounds {
				err := retry.RetryOnConflict(patiently, func() error {
					current, err := maps.Get(ctx, "contended", metav1.GetOptions{})
					if err != nil {
						return err
					}
					current.Data = map[string]string{"count": current.Data["count"] + "x"}
					_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					failures <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		must(err)
	}
	equal(len(need(maps.Get(ctx, "contended", metav1.GetOptions{})).Data["count"]), writers*rounds)
}

func deleteCollection(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	for _, name := range []string{"c-1", "c-2", "c-3"} {
		need(maps.Create(ctx, configMap(name, map[string]string{"collection": strings.TrimSuffix(name, "-3")}), metav1.CreateOptions{}))
	}
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "collection in (c-1,c-2)"}))
	left := need(maps.List(ctx, metav1.ListOptions{LabelSelector: "collection"}))
	equal(len(left.Items), 1)
	equal(left.Items[0].Name, "c-3")
}

func preconditions(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	made := need(maps.Create(ctx, configMap("guarded", nil), metav1.CreateOptions{}))
	wrong, version := types.UID("wrong"), "1"
	err := maps.Delete(ctx, "guarded", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	refused(err, errors.IsConflict, "the UID in the precondition (wrong) does not match the UID in record ("+string(made.UID)+")")
	err = maps.Delete(ctx, "guarded", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}})
	refused(err, errors.IsConflict, "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record")
	must(maps.Delete(ctx, "guarded", *metav1.NewRVDeletionPrecondition(made.ResourceVersion)))
}

func generatedNames(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "generated-"}}
	one := need(maps.Create(ctx, object, metav1.CreateOptions{}))
	other := need(maps.Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
	expect(one.Name != other.Name && strings.HasPrefix(other.Name, "generated-"), "%s and %s", one.Name, other.Name)
	_, err := maps.Get(ctx, other.Name, metav1.GetOptions{})
	refused(err, errors.IsNotFound, `configmaps "`+other.Name+`" not found`)
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "busybox"}}},
	}
}

func bindingAndEviction(ctx context.Context, target Target) {
	pods := target.Client.CoreV1().Pods(namespace)
	need(pods.Create(ctx, pod("bound"), metav1.CreateOptions{}))
	must(pods.Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "bound"}, Target: corev1.ObjectReference{Kind: "Node", Name: "somewhere"},
	}, metav1.CreateOptions{}))
	bound := need(pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=somewhere"}))
	equal(len(bound.Items), 1)
	must(pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "bound"}}))
	evicted := need(pods.Get(ctx, "bound", metav1.GetOptions{}))
	expect(evicted.DeletionTimestamp != nil && *evicted.DeletionGracePeriodSeconds == 30, "was not given its time: %v", evicted.ObjectMeta)
	must(pods.Delete(ctx, "bound", *metav1.NewDeleteOptions(0)))
}

func finalizers(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	object := configMap("finalized", nil)
	object.Finalizers = []string{"example.org/hold"}
	need(maps.Create(ctx, object, metav1.CreateOptions{}))
	must(maps.Delete(ctx, "finalized", metav1.DeleteOptions{}))
	held := need(maps.Get(ctx, "finalized", metav1.GetOptions{}))
	expect(held.DeletionTimestamp != nil, "is not being deleted")
	held.Finalizers = nil
	need(maps.Update(ctx, held, metav1.UpdateOptions{}))
	_, err := maps.Get(ctx, "finalized", metav1.GetOptions{})
	expect(errors.IsNotFound(err), "is still there: %v", err)
}

func owners(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	owner := need(maps.Create(ctx, configMap("owner", nil), metav1.CreateOptions{}))
	yes := true
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID, BlockOwnerDeletion: &yes}
	for _, name := range []string{"owned", "kept"} {
		object := configMap(name, nil)
		object.OwnerReferences = []metav1.OwnerReference{reference}
		if name == "kept" {
			object.Finalizers = []string{"example.org/hold"}
		}
		need(maps.Create(ctx, object, metav1.CreateOptions{}))
	}
	foreground := metav1.DeletePropagationForeground
	must(maps.Delete(ctx, "owner", metav1.DeleteOptions{PropagationPolicy: &foreground}))
	gone := func(name string) func() bool {
		return func() bool {
			_, err := maps.Get(ctx, name, metav1.GetOptions{})
			return errors.IsNotFound(err)
		}
	}
	eventually(ctx, "the end of what is owned", gone("owned"))
	eventually(ctx, "the wish to end what is held", func() bool {
		return need(maps.Get(ctx, "kept", metav1.GetOptions{})).DeletionTimestamp != nil
	})
	expect(!gone("owner")(), "the owner went before what it owns")
	need(maps.Patch(ctx, "kept", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))
	eventually(ctx, "the end of the owner", gone("owner"))
}

func refusals(ctx context.Context, target Target) {
	core := target.Client.CoreV1()
	_, err := core.Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	refused(err, errors.IsAlreadyExists, `namespaces "default" already exists`)
	_, err = core.Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}, metav1.CreateOptions{})
	refused(err, errors.IsInvalid, `Pod "empty" is invalid: spec.containers: Required value`)
	_, err = core.ConfigMaps("nowhere").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{})
	refused(err, errors.IsNotFound, `namespaces "nowhere" not found`)
	_, err = core.ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: "a b"})
	refused(err, errors.IsBadRequest, "unable to parse requirement")
}
