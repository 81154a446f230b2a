// An operator as kubebuilder generates it: a controller with status, finalizers and leader election, and webhooks that convert, default and validate.
package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

func main() {
	identity := flag.String("identity", "operator", "Name of this process in the conditions of widgets.")
	webhookPort := flag.Int("webhook-port", 0, "Port of the webhooks. 0 runs the controller instead of the webhooks.")
	certificates := flag.String("cert-dir", "", "Directory with tls.crt and tls.key of the webhooks.")
	namespace := flag.String("namespace", "default", "Namespace of the lease for leader election.")
	flag.Parse()
	if err := run(*identity, *namespace, *webhookPort, *certificates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(identity, namespace string, webhookPort int, certificates string) error {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	lease, renew, retry := 4*time.Second, 3*time.Second, 500*time.Millisecond
	options := ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		LeaderElection:          webhookPort == 0,
		LeaderElectionID:        "widget-operator",
		LeaderElectionNamespace: namespace,
		LeaseDuration:           &lease,
		RenewDeadline:           &renew,
		RetryPeriod:             &retry,
	}
	if webhookPort != 0 {
		options.WebhookServer = webhook.NewServer(webhook.Options{
			Host:    "127.0.0.1",
			Port:    webhookPort,
			CertDir: certificates,
			TLSOpts: []func(*tls.Config){func(config *tls.Config) { config.NextProtos = []string{"h2", "http/1.1"} }},
		})
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err != nil {
		return err
	}
	if webhookPort != 0 {
		err = ctrl.NewWebhookManagedBy(manager, &Widget{}).WithDefaulter(defaulter{}).WithValidator(validator{}).Complete()
	} else {
		err = ctrl.NewControllerManagedBy(manager).For(&Widget{}).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient(), identity})
	}
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
