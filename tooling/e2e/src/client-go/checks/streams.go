package checks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

// The running pod on the test's kubelet.
const running = "p"

var streams = []check{
	{"exec-in-spdy", func(ctx context.Context, target Target) { execute(ctx, target, spdyExecutor) }},
	{"exec-in-websocket", func(ctx context.Context, target Target) { execute(ctx, target, webSocketExecutor) }},
	{"exec-that-falls-back", func(ctx context.Context, target Target) { execute(ctx, target, fallbackExecutor) }},
	{"logs", logs},
	{"port-forward-in-spdy", func(ctx context.Context, target Target) { forward(ctx, target, spdyDialer) }},
	{"port-forward-in-websocket", func(ctx context.Context, target Target) { forward(ctx, target, webSocketDialer) }},
}

func execURL(target Target, stdin bool, command ...string) *url.URL {
	return target.Client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(running).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: command, Stdin: stdin, Stdout: true, Stderr: true}, scheme.ParameterCodec).URL()
}

type newExecutor func(target Target, at *url.URL) remotecommand.Executor

func spdyExecutor(target Target, at *url.URL) remotecommand.Executor {
	return need(remotecommand.NewSPDYExecutor(target.Config, http.MethodPost, at))
}

func webSocketExecutor(target Target, at *url.URL) remotecommand.Executor {
	return need(remotecommand.NewWebSocketExecutor(target.Config, http.MethodGet, at.String()))
}

func fallbackExecutor(target Target, at *url.URL) remotecommand.Executor {
	return need(remotecommand.NewFallbackExecutor(webSocketExecutor(target, at), spdyExecutor(target, at), httpstream.IsUpgradeFailure))
}

func execute(ctx context.Context, target Target, executor newExecutor) {
	var stdout, stderr bytes.Buffer
	at := execURL(target, false, "sh", "-c", "echo 'a b'; echo wrong >&2; exit 3")
	err := executor(target, at).StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: &stdout, Stderr: &stderr})
	equal(stdout.String()+stderr.String(), "a b\nwrong\n")
	failure, ok := err.(exec.CodeExitError)
	expect(ok && failure.Code == 3, "ended with %v", err)

	much := strings.Repeat("0123456789abcde\n", 100_000)
	stdout.Reset()
	must(executor(target, execURL(target, true, "cat")).StreamWithContext(ctx, remotecommand.StreamOptions{
		Stdin: strings.NewReader(much), Stdout: &stdout, Stderr: &stderr,
	}))
	expect(stdout.String() == much, "of %d bytes %d came back", len(much), stdout.Len())

	short, cancel := context.WithCancel(ctx)
	cancel()
	err = executor(target, execURL(target, false, "sleep", "1000")).StreamWithContext(short, remotecommand.StreamOptions{
		Stdout: &stdout, Stderr: &stderr,
	})
	expect(err != nil, "a stream that was given up ended well")
}

func logs(ctx context.Context, target Target) {
	pods, lines := target.Client.CoreV1().Pods(namespace), int64(2)
	text := need(pods.GetLogs(running, &corev1.PodLogOptions{TailLines: &lines, Timestamps: true}).DoRaw(ctx))
	equal(string(text), "2026-01-01T00:00:00Z line two\n2026-01-01T00:00:00Z line three\n")
	stream := need(pods.GetLogs(running, &corev1.PodLogOptions{Follow: true, TailLines: &lines}).Stream(ctx))
	defer stream.Close()
	first := make([]byte, len("line two\n"))
	need(io.ReadFull(stream, first))
	equal(string(first), "line two\n")
}

type newDialer func(target Target, at *url.URL) httpstream.Dialer

func spdyDialer(target Target, at *url.URL) httpstream.Dialer {
	transport, upgrader, err := spdy.RoundTripperFor(target.Config)
	must(err)
	return spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, at)
}

func webSocketDialer(target Target, at *url.URL) httpstream.Dialer {
	return need(portforward.NewSPDYOverWebsocketDialer(at, target.Config))
}

// forward connects to a port of the pod, which is a port of this machine.
func forward(ctx context.Context, target Target, dialer newDialer) {
	listener := need(net.Listen("tcp", "127.0.0.1:0"))
	behind := &http.Server{Handler: http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		said, _ := io.ReadAll(request.Body)
		_, _ = answer.Write(said)
	})}
	go func() { _ = behind.Serve(listener) }()
	defer behind.Close()
	at := target.Client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(running).SubResource("portforward").URL()
	stop, ready, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	ports := []string{fmt.Sprintf("0:%d", listener.Addr().(*net.TCPAddr).Port)}
	forwarder := need(portforward.New(dialer(target, at), ports, stop, ready, io.Discard, io.Discard))
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		panic(err)
	case <-ctx.Done():
		panic("was never ready")
	}
	local := need(forwarder.GetPorts())[0].Local
	for range 3 {
		said := strings.Repeat("x", 100_000)
		answer := need(http.Post(fmt.Sprintf("http://127.0.0.1:%d/", local), "text/plain", strings.NewReader(said)))
		heard := need(io.ReadAll(answer.Body))
		must(answer.Body.Close())
		expect(string(heard) == said, "of %d bytes %d came back", len(said), len(heard))
	}
	close(stop)
	must(receive(ctx, ended, "the end"))
}
