package checks

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var informerChecks = []check{
	{"typed-in-protobuf-over-http2-with-watch-list", typedInformer},
	{"by-selectors", informersBySelectors},
	{"dynamic", dynamicInformer},
	{"metadata-only", metadataInformer},
	{"without-watch-list", listingInformer},
}

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// seen records an informer's events as "add NAME", "update NAME" and "delete NAME".
type seen struct {
	mutex sync.Mutex
	lines []string
}

func (all *seen) add(line string) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	all.lines = append(all.lines, line)
}

func (all *seen) read() []string {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	return append([]string{}, all.lines...)
}

func follow(informer cache.SharedIndexInformer) *seen {
	all := &seen{}
	name := func(object any) string {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		return need(meta.Accessor(object)).GetName()
	}
	need(informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { all.add("add " + name(object)) },
		UpdateFunc: func(_, object any) { all.add("update " + name(object)) },
		DeleteFunc: func(object any) { all.add("delete " + name(object)) },
	}))
	return all
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels}}
}

// live creates, updates and deletes a config map and expects the informer's events.
func live(ctx context.Context, target Target, name string, labels map[string]string) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	made := need(maps.Create(ctx, configMap(name, labels), metav1.CreateOptions{}))
	made.Data = map[string]string{"changed": "yes"}
	need(maps.Update(ctx, made, metav1.UpdateOptions{}))
	must(maps.Delete(ctx, name, metav1.DeleteOptions{}))
}

func start(ctx context.Context, informer cache.SharedIndexInformer) {
	go informer.RunWithContext(ctx)
	expect(cache.WaitForCacheSync(ctx.Done(), informer.HasSynced), "the informer was not synced")
}

func typedInformer(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config, requests := recording(target.Config)
	client := need(kubernetes.NewForConfig(config))
	before := configMap("typed-before", map[string]string{"some": "label"})
	need(target.Client.CoreV1().ConfigMaps(namespace).Create(ctx, before, metav1.CreateOptions{}))
	factory := informers.NewSharedInformerFactory(client, 0)
	maps := factory.Core().V1().ConfigMaps()
	told := follow(maps.Informer())
	must(maps.Informer().AddIndexers(cache.Indexers{"data": func(object any) ([]string, error) {
		return []string{object.(*corev1.ConfigMap).Data["changed"]}, nil
	}}))
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		expect(synced, "%v was not synced", kind)
	}
	found := need(maps.Lister().ConfigMaps(namespace).Get("typed-before"))
	expect(found.UID != "" && !found.CreationTimestamp.IsZero() && found.ManagedFields != nil, "incomplete: %v", found)

	live(ctx, target, "typed-live", nil)
	eventually(ctx, "the events of typed-live", func() bool {
		lines := told.read()
		return len(lines) > 3 && lines[len(lines)-1] == "delete typed-live"
	})
	lines := told.read()
	equal(lines[len(lines)-3:], []string{"add typed-live", "update typed-live", "delete typed-live"})
	every := need(target.Client.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{}))
	equal(len(need(maps.Lister().List(labels.Everything()))), len(every.Items))
	equal(len(need(maps.Informer().GetIndexer().ByIndex("data", "yes"))), 0)

	asked := requests.of("configmaps")
	expect(len(asked) == 1, "one watch is enough, but asked %v", asked)
	equal(asked[0].query.Get("sendInitialEvents"), "true")
	equal(asked[0].protocol, "HTTP/2.0")
	equal(asked[0].contentType, "application/vnd.kubernetes.protobuf;stream=watch")
}

func informersBySelectors(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	by := func(tweak func(*metav1.ListOptions)) (cache.SharedIndexInformer, *seen) {
		factory := informers.NewSharedInformerFactoryWithOptions(
			target.Client, 0, informers.WithNamespace(namespace), informers.WithTweakListOptions(tweak))
		informer := factory.Core().V1().ConfigMaps().Informer()
		told := follow(informer)
		start(ctx, informer)
		return informer, told
	}
	_, labelled := by(func(options *metav1.ListOptions) { options.LabelSelector = "in=yes" })
	_, named := by(func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name=selected" })
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	live(ctx, target, "unselected", nil)
	made := need(maps.Create(ctx, configMap("selected", nil), metav1.CreateOptions{}))
	for _, value := range []string{"yes", "no", "yes"} {
		made.Labels = map[string]string{"in": value}
		made = need(maps.Update(ctx, made, metav1.UpdateOptions{}))
	}
	must(maps.Delete(ctx, "selected", metav1.DeleteOptions{}))
	eventually(ctx, "the deletion, by name", func() bool { return len(named.read()) == 5 })
	equal(named.read(), []string{"add selected", "update selected", "update selected", "update selected", "delete selected"})
	eventually(ctx, "the deletion, by label", func() bool { return len(labelled.read()) == 4 })
	equal(labelled.read(), []string{"add selected", "delete selected", "add selected", "delete selected"})
}

func dynamicInformer(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config, requests := recording(target.Config)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(need(dynamic.NewForConfig(config)), 0)
	informer := factory.ForResource(configMaps).Informer()
	told := follow(informer)
	start(ctx, informer)
	live(ctx, target, "dynamic", nil)
	eventually(ctx, "the events", func() bool { return len(told.read()) > 2 && told.read()[len(told.read())-1] == "delete dynamic" })
	asked := requests.of("configmaps")
	equal(words(len(asked), asked[0].query.Get("sendInitialEvents"), asked[0].contentType), "1 true application/json")
}

func metadataInformer(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config, requests := recording(metadata.ConfigFor(target.Config))
	client := need(metadata.NewForConfig(config))
	factory := metadatainformer.NewSharedInformerFactory(client, 0)
	informer := factory.ForResource(configMaps).Informer()
	told := follow(informer)
	start(ctx, informer)
	live(ctx, target, "metadata", map[string]string{"some": "label"})
	eventually(ctx, "the events", func() bool { return len(told.read()) > 2 && told.read()[len(told.read())-1] == "delete metadata" })
	for _, object := range informer.GetStore().List() {
		kept := object.(*metav1.PartialObjectMetadata)
		expect(kept.UID != types.UID(""), "%s has no UID", kept.Name)
	}
	asked := requests.of("configmaps")
	equal(words(len(asked), asked[0].query.Get("sendInitialEvents"), asked[0].contentType),
		"1 true application/vnd.kubernetes.protobuf;stream=watch")
	one := need(client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, namespace, metav1.GetOptions{}))
	equal(words(one.Name, one.Labels), "default map[kubernetes.io/metadata.name:default]")
	listed := need(client.Resource(configMaps).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 1}))
	expect(len(listed.Items) == 1 && listed.ResourceVersion != "", "listed %v", listed)
}

// listingInformer works like clients before watch-list: a list at version 0, then a watch.
func listingInformer(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config, requests := recording(target.Config)
	client := need(kubernetes.NewForConfig(config)).CoreV1().RESTClient()
	source := cache.NewFilteredListWatchFromClient(client, "configmaps", namespace, func(*metav1.ListOptions) {})
	informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(source, unsupported{}), &corev1.ConfigMap{}, 0, nil)
	told := follow(informer)
	start(ctx, informer)
	live(ctx, target, "listed", nil)
	eventually(ctx, "the events", func() bool { return len(told.read()) > 2 && told.read()[len(told.read())-1] == "delete listed" })
	asked := requests.of("configmaps")
	equal(words(len(asked), asked[0].query.Get("resourceVersion"), asked[1].query.Get("watch")), "2 0 true")
}

type unsupported struct{}

func (unsupported) IsWatchListSemanticsUnSupported() bool { return true }
