package checks

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

var restarts = []check{
	{"informers-lose-nothing", surviveRestart},
	{"a-watch-from-before-is-told-so", expired},
}

var answers = bufio.NewReader(os.Stdin)

// ask requests an action on the server from the test that runs this program, and waits until it is done.
func ask(request string) {
	fmt.Println("? " + request)
	need(answers.ReadString('\n'))
}

// surviveRestart writes before the server stops and as soon as it is back. Informers must receive every change.
func surviveRestart(ctx context.Context, target Target) {
	const count = 10
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	client := need(kubernetes.NewForConfig(target.Config))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "restart=yes" }))
	informer := factory.Core().V1().ConfigMaps()
	told := follow(informer.Informer())
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	write := func(prefix string) {
		for i := range count {
			object := configMap(fmt.Sprintf("%s-%d", prefix, i), map[string]string{"restart": "yes"})
			must(wait.PollUntilContextCancel(ctx, patience, true, func(ctx context.Context) (bool, error) {
				_, err := maps.Create(ctx, object, metav1.CreateOptions{})
				return err == nil || errors.IsAlreadyExists(err), nil
			}))
		}
	}
	remove := func(name string) {
		must(wait.PollUntilContextCancel(ctx, patience, true, func(ctx context.Context) (bool, error) {
			return maps.Delete(ctx, name, metav1.DeleteOptions{}) == nil, nil
		}))
	}
	holds := func(wanted int) {
		eventually(ctx, fmt.Sprintf("%d config maps", wanted), func() bool {
			return len(need(informer.Lister().ConfigMaps(namespace).List(labels.Everything()))) == wanted
		})
	}
	write("before")
	remove("before-0")
	ask("stop")
	ask("start")
	remove("before-1")
	write("after")
	holds(2*count - 2)
	ask("kill")
	ask("start")
	remove("after-0")
	write("last")
	holds(3*count - 3)

	eventually(ctx, "the last deletion", func() bool { return strings.Contains(strings.Join(told.read(), ","), "delete after-0") })
	lines := map[string]int{}
	for _, line := range told.read() {
		lines[line]++
	}
	for _, prefix := range []string{"before", "after", "last"} {
		for i := range count {
			equal(lines[fmt.Sprintf("add %s-%d", prefix, i)], 1)
		}
	}
	equal(lines["delete before-0"]+lines["delete before-1"]+lines["delete after-0"], 3)
	listed := need(maps.List(ctx, metav1.ListOptions{LabelSelector: "restart=yes"}))
	for _, item := range listed.Items {
		held := need(informer.Lister().ConfigMaps(namespace).Get(item.Name))
		equal(held.ResourceVersion, item.ResourceVersion)
	}
}

func expired(ctx context.Context, target Target) {
	watcher := need(target.Client.CoreV1().ConfigMaps(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: "1"}))
	defer watcher.Stop()
	event := receive(ctx, watcher.ResultChan(), "an end")
	_, isObject := event.Object.(*corev1.ConfigMap)
	expect(!isObject, "%v of long ago", event.Type)
	refused(errors.FromObject(event.Object), errors.IsResourceExpired, "too old resource version: 1")
}
