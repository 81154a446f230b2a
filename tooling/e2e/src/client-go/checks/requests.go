package checks

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// exchange is the recorded part of a request and its response.
type exchange struct {
	method      string
	path        string
	query       url.Values
	protocol    string
	contentType string
}

// recorder stores the requests and responses of a client.
type recorder struct {
	mutex     sync.Mutex
	exchanges []exchange
}

// recording returns a configuration that records its clients.
func recording(config *rest.Config) (*rest.Config, *recorder) {
	kept := &recorder{}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			if err == nil {
				kept.add(exchange{
					request.Method, request.URL.Path, request.URL.Query(), response.Proto, response.Header.Get("Content-Type"),
				})
			}
			return response, err
		})
	})
	return config, kept
}

type roundTripper func(*http.Request) (*http.Response, error)

func (trip roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	return trip(request)
}

func (kept *recorder) add(one exchange) {
	kept.mutex.Lock()
	defer kept.mutex.Unlock()
	kept.exchanges = append(kept.exchanges, one)
}

// of returns the exchanges for a resource.
func (kept *recorder) of(resource string) (found []exchange) {
	kept.mutex.Lock()
	defer kept.mutex.Unlock()
	for _, one := range kept.exchanges {
		if strings.HasSuffix(one.path, "/"+resource) {
			found = append(found, one)
		}
	}
	return found
}
