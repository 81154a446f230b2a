package checks

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

var loops = []check{{"a-controller", controller}}

// controller maintains a secret for each annotated config map, like a typical controller: informers fill a queue, workers compare
// the actual with the desired state, and failures are retried.
func controller(ctx context.Context, target Target) {
	const count, workers = 20, 2
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	factory := informers.NewSharedInformerFactoryWithOptions(target.Client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "controlled=yes" }))
	maps, secrets := factory.Core().V1().ConfigMaps(), factory.Core().V1().Secrets()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	enqueue := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, object any) { enqueue(object) }, DeleteFunc: enqueue,
	}
	need(maps.Informer().AddEventHandler(handler))
	need(secrets.Informer().AddEventHandler(handler))
	reconcile := func(name string) error {
		wanted, err := maps.Lister().ConfigMaps(namespace).Get(name)
		if err != nil {
			return nil
		}
		current, err := secrets.Lister().Secrets(namespace).Get(name)
		if err != nil {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: wanted.Labels}, StringData: wanted.Data}
			_, err = target.Client.CoreV1().Secrets(namespace).Create(ctx, secret, metav1.CreateOptions{})
			return err
		}
		if string(current.Data["value"]) == wanted.Data["value"] {
			return nil
		}
		current = current.DeepCopy()
		current.StringData = wanted.Data
		_, err = target.Client.CoreV1().Secrets(namespace).Update(ctx, current, metav1.UpdateOptions{})
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for range workers {
		go func() {
			for {
				key, over := queue.Get()
				if over {
					return
				}
				if err := reconcile(strings.TrimPrefix(key, namespace+"/")); err != nil {
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		}()
	}
	write := func(value string) {
		for i := range count {
			object := configMap(fmt.Sprintf("controlled-%d", i), map[string]string{"controlled": "yes"})
			object.Data = map[string]string{"value": value}
			if value == "first" {
				need(target.Client.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{}))
			} else {
				need(target.Client.CoreV1().ConfigMaps(namespace).Update(ctx, object, metav1.UpdateOptions{}))
			}
		}
	}
	settled := func(value string) func() bool {
		return func() bool {
			found := need(target.Client.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{LabelSelector: "controlled=yes"})).Items
			for _, secret := range found {
				if string(secret.Data["value"]) != value {
					return false
				}
			}
			return len(found) == count
		}
	}
	write("first")
	eventually(ctx, "a secret for each", settled("first"))
	must(target.Client.CoreV1().Secrets(namespace).Delete(ctx, "controlled-3", metav1.DeleteOptions{}))
	write("second")
	eventually(ctx, "the second value in each", settled("second"))
}
