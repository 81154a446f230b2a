package checks

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var leases = []check{
	{"leader-hands-over", handOver},
	{"dead-leader-is-replaced", deadLeader},
}

const (
	long  = time.Minute
	short = 1500 * time.Millisecond
)

// candidate competes for a lease and reports when it leads. On cancellation it releases a long lease.
func candidate(ctx context.Context, target Target, lease, name string, duration time.Duration) (leads <-chan string) {
	leading := make(chan string, 1)
	lock := need(resourcelock.New(resourcelock.LeasesResourceLock, namespace, lease,
		target.Client.CoreV1(), target.Client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name}))
	elector := need(leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   duration,
		RenewDeadline:   duration * 2 / 3,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: duration == long,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { leading <- name },
			OnStoppedLeading: func() {},
		},
	}))
	go elector.Run(ctx)
	return leading
}

func handOver(ctx context.Context, target Target) {
	first, resign := context.WithCancel(ctx)
	defer resign()
	second, stop := context.WithCancel(ctx)
	defer stop()
	receive(ctx, candidate(first, target, "handed-over", "first", long), "the first's turn")
	waiting := candidate(second, target, "handed-over", "second", long)
	held := need(target.Client.CoordinationV1().Leases(namespace).Get(ctx, "handed-over", metav1.GetOptions{}))
	equal(*held.Spec.HolderIdentity, "first")
	select {
	case <-waiting:
		panic("two lead")
	case <-time.After(300 * time.Millisecond):
	}
	resign()
	receive(ctx, waiting, "the second's turn")
	held = need(target.Client.CoordinationV1().Leases(namespace).Get(ctx, "handed-over", metav1.GetOptions{}))
	equal(*held.Spec.HolderIdentity, "second")
	expect(*held.Spec.LeaseTransitions >= 1, "%d transitions", *held.Spec.LeaseTransitions)
}

func deadLeader(ctx context.Context, target Target) {
	first, die := context.WithCancel(ctx)
	defer die()
	second, stop := context.WithCancel(ctx)
	defer stop()
	receive(ctx, candidate(first, target, "abandoned", "first", short), "the first's turn")
	die()
	receive(ctx, candidate(second, target, "abandoned", "second", short), "the second's turn")
}
