// Calls a konnectivity proxy server with upstream's client. Prints one line of JSON for each check: its name and the error, if any.
//
//	konnectivity-client SOCKET ECHO_ADDRESS CLOSING_ADDRESS REFUSED_ADDRESS
//
// ECHO_ADDRESS sends all bytes back. CLOSING_ADDRESS sends "bye" and closes when it has received bytes. The server cannot connect to REFUSED_ADDRESS.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"sigs.k8s.io/apiserver-network-proxy/konnectivity-client/pkg/client"
)

var socket = os.Args[1]

// dial opens a connection like kube-apiserver does: with a gRPC connection of its own.
func dial(ctx context.Context, address string) (net.Conn, client.Tunnel, error) {
	dialer := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	})
	tunnel, err := client.CreateSingleUseGrpcTunnelWithContext(ctx, context.Background(), socket, dialer,
		grpc.WithBlock(), grpc.WithReturnConnectionError(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	connection, err := tunnel.DialContext(ctx, "tcp", address)
	return connection, tunnel, err
}

func echo(ctx context.Context, address string, size int) error {
	connection, tunnel, err := dial(ctx, address)
	if err != nil {
		return err
	}
	sent := make([]byte, size)
	rand.New(rand.NewSource(int64(size))).Read(sent)
	failed := make(chan error, 1)
	go func() {
		for at := 0; at < size; at += 16 << 10 {
			if _, err := connection.Write(sent[at:min(size, at+16<<10)]); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	received := make([]byte, size)
	if _, err := io.ReadFull(connection, received); err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	if err := <-failed; err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if !bytes.Equal(sent, received) {
		return errors.New("other bytes came back")
	}
	if err := connection.Close(); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return waitForEnd(tunnel)
}

func waitForEnd(tunnel client.Tunnel) error {
	select {
	case <-tunnel.Done():
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("the tunnel did not end")
	}
}

func check(name string, run func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result := map[string]string{"name": name}
	if err := run(ctx); err != nil {
		result["error"] = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

func main() {
	echoing, closing, refused := os.Args[2], os.Args[3], os.Args[4]
	check("sends bytes both ways and closes", func(ctx context.Context) error { return echo(ctx, echoing, 4<<20) })
	check("carries many connections at once", func(ctx context.Context) error {
		var group sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs {
			group.Add(1)
			go func() {
				defer group.Done()
				errs[i] = echo(ctx, echoing, 100_000+i)
			}()
		}
		group.Wait()
		return errors.Join(errs...)
	})
	check("ends when the remote closes", func(ctx context.Context) error {
		connection, tunnel, err := dial(ctx, closing)
		if err != nil {
			return err
		}
		// The client loses data that arrives before DialContext has returned, so the remote waits for a request.
		if _, err := connection.Write([]byte("hello")); err != nil {
			return err
		}
		if text, err := io.ReadAll(connection); err != nil || string(text) != "bye" {
			return fmt.Errorf("read %q, %v", text, err)
		}
		return waitForEnd(tunnel)
	})
	check("reports that the remote refuses", func(ctx context.Context) error {
		_, _, err := dial(ctx, refused)
		if failed, _ := client.GetDialFailureReason(err); !failed || !strings.Contains(err.Error(), "connection refused") {
			return fmt.Errorf("expected the error of the dial, got %v", err)
		}
		return nil
	})
}
