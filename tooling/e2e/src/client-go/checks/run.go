// Package checks verifies the behavior that client-go programs depend on.
package checks

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	namespace     = "default"
	secondsForOne = 60
	// patience is the delay before retrying an unavailable server.
	patience = 50 * time.Millisecond
)

// Target is the server under test.
type Target struct {
	Config *rest.Config
	Client kubernetes.Interface
}

type check struct {
	name string
	run  func(ctx context.Context, target Target)
}

var groups = map[string][]check{
	"informers":   informerChecks,
	"kinds":       kinds,
	"leases":      leases,
	"apply":       apply,
	"patches":     patches,
	"writes":      writes,
	"lists":       lists,
	"discovery":   discoveries,
	"events":      events,
	"tokens":      tokens,
	"loop":        loops,
	"controllers": controllers,
	"streams":     streams,
	"restart":     restarts,
}

// Run prints a line for each check of the groups and returns the number of failures.
func Run(kubeconfig string, names []string) (failed int, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return 0, err
	}
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		group, found := groups[name]
		if !found {
			return failed, fmt.Errorf("no group %q", name)
		}
		for _, one := range group {
			if why := runOne(one, Target{config, client}); why != "" {
				failed++
				fmt.Printf("FAIL %s/%s: %s\n", name, one.name, why)
			} else {
				fmt.Printf("ok %s/%s\n", name, one.name)
			}
		}
	}
	return failed, nil
}

func runOne(one check, target Target) (why string) {
	ctx, cancel := context.WithTimeout(context.Background(), secondsForOne*time.Second)
	defer cancel()
	defer func() {
		if thrown := recover(); thrown != nil {
			why = strings.Join(strings.Fields(fmt.Sprintf("%v (%s)", thrown, whereThrown())), " ")
		}
	}()
	one.run(ctx, target)
	return ""
}

// whereThrown returns the stack frames that belong to the checks.
func whereThrown() string {
	var lines []string
	for _, line := range strings.Split(string(debug.Stack()), "\n") {
		file := strings.TrimSpace(line)
		at := strings.LastIndex(file, "/checks/")
		if at < 0 || !strings.Contains(file, ".go:") || strings.Contains(file, "/run.go:") || strings.Contains(file, "/expect.go:") {
			continue
		}
		lines = append(lines, strings.Fields(file[at+len("/checks/"):])[0])
	}
	return strings.Join(lines, " < ")
}
