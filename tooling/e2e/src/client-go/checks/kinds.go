package checks

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

var kinds = []check{{"informers-of-every-kind", everyKind}}

// everyKind syncs an informer of each watchable resource, in protobuf, and expects that none needs a retry.
func everyKind(ctx context.Context, target Target) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lists := need(target.Client.Discovery().ServerPreferredResources())
	watchable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, lists)
	factory := informers.NewSharedInformerFactory(target.Client, 0)
	troubles := make(chan string, 1000)
	count := 0
	for _, list := range watchable {
		for _, resource := range list.APIResources {
			version := need(schema.ParseGroupVersion(list.GroupVersion))
			informer, err := factory.ForResource(version.WithResource(resource.Name))
			if err != nil {
				// client-go does not include the aggregation and extensions groups.
				expect(strings.HasSuffix(version.Group, "apiregistration.k8s.io") || strings.HasSuffix(version.Group, "apiextensions.k8s.io"),
					"client-go does not know %s %s", list.GroupVersion, resource.Name)
				continue
			}
			must(informer.Informer().SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
				troubles <- list.GroupVersion + " " + resource.Name + ": " + err.Error()
			}))
			count++
		}
	}
	expect(count > 50, "only %d resources can be watched", count)
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		expect(synced, "%v was not synced", kind)
	}
	select {
	case trouble := <-troubles:
		panic(trouble)
	default:
	}
}
