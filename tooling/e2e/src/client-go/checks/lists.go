package checks

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	toolswatch "k8s.io/client-go/tools/watch"
)

var lists = []check{
	{"pager-with-chunks", pages},
	{"tokens-that-are-no-tokens", wrongToken},
	{"versions", versions},
	{"watch-goes-on-from-a-version", retryWatcher},
	{"watch-in-protobuf-with-bookmarks", bookmarks},
}

func pages(ctx context.Context, target Target) {
	const count = 25
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	for i := range count {
		need(maps.Create(ctx, configMap(fmt.Sprintf("chunk-%02d", i), map[string]string{"chunk": "yes"}), metav1.CreateOptions{}))
	}
	calls, names := 0, []string{}
	chunks := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		calls++
		return maps.List(ctx, options)
	})
	chunks.PageSize = 10
	must(chunks.EachListItem(ctx, metav1.ListOptions{LabelSelector: "chunk=yes"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	}))
	equal(calls, 3)
	equal(len(names), count)
	equal(names[count-1], fmt.Sprintf("chunk-%02d", count-1))
	every, paginated, err := chunks.List(ctx, metav1.ListOptions{LabelSelector: "chunk=yes"})
	must(err)
	expect(paginated && meta.LenList(every) == count, "%d of them, in pages: %v", meta.LenList(every), paginated)
}

func wrongToken(ctx context.Context, target Target) {
	_, err := target.Client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{Limit: 1, Continue: "nonsense"})
	refused(err, errors.IsBadRequest, "continue key is not valid")
}

func versions(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	made := need(maps.Create(ctx, configMap("versioned", nil), metav1.CreateOptions{}))
	exactly := metav1.ListOptions{ResourceVersion: made.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
	must(maps.Delete(ctx, "versioned", metav1.DeleteOptions{}))
	then := need(maps.List(ctx, exactly))
	equal(then.ResourceVersion, made.ResourceVersion)
	found := false
	for _, item := range then.Items {
		found = found || item.Name == "versioned"
	}
	expect(found, "what was there at version %s is not", made.ResourceVersion)
	// The answer asks for another try, and the client would make ten.
	err := target.Client.CoreV1().RESTClient().Get().MaxRetries(0).Resource("configmaps").Namespace(namespace).
		Param("resourceVersion", "999999999").Param("resourceVersionMatch", "NotOlderThan").Do(ctx).Error()
	refused(err, errors.IsTimeout, "Too large resource version: 999999999")
	expect(errors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge), "without its cause: %v", err)
}

func retryWatcher(ctx context.Context, target Target) {
	maps := target.Client.CoreV1().ConfigMaps(namespace)
	before := need(maps.List(ctx, metav1.ListOptions{}))
	live(ctx, target, "retried", nil)
	watcher := need(toolswatch.NewRetryWatcherWithContext(ctx, before.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: maps.Watch,
	}))
	defer watcher.Stop()
	for _, kind := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		event := receive(ctx, watcher.ResultChan(), string(kind))
		equal(words(event.Type, event.Object.(*corev1.ConfigMap).Name), words(kind, "retried"))
	}
}

func bookmarks(ctx context.Context, target Target) {
	yes := true
	watcher := need(target.Client.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{
		AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}))
	defer watcher.Stop()
	for {
		event := receive(ctx, watcher.ResultChan(), "the bookmark")
		if event.Type != watch.Bookmark {
			equal(event.Type, watch.Added)
			continue
		}
		equal(event.Object.(*corev1.Namespace).Annotations, map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		break
	}
	_, err := target.Client.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{SendInitialEvents: &yes})
	refused(err, errors.IsInvalid, "resourceVersionMatch")
	equal(err.(errors.APIStatus).Status().Code, http.StatusUnprocessableEntity)
}
