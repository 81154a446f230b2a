// Checks a server with client-go: main KUBECONFIG GROUP...
package main

import (
	"fmt"
	"os"

	"keelson/client-go/checks"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: client-go KUBECONFIG GROUP...")
		os.Exit(2)
	}
	failed, err := checks.Run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}
