package checks

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Failed checks panic, and Run prints the reason. These functions must be called on the goroutine of the check.

func must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

func need[T any](value T, err error) T {
	must(err)
	return value
}

func equal[T any](actual, expected T) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("%v is not %v", actual, expected))
	}
}

// words joins values into one line, to compare them together.
func words(values ...any) string { return strings.TrimSpace(fmt.Sprintln(values...)) }

func expect(holds bool, otherwise string, values ...any) {
	if !holds {
		panic(fmt.Sprintf(otherwise, values...))
	}
}

// refused expects an error that matches a predicate of k8s.io/apimachinery/pkg/api/errors and contains a text.
func refused(err error, is func(error) bool, message string) {
	expect(err != nil, "was not refused")
	expect(is(err), "refused otherwise: %v", err)
	expect(strings.Contains(err.Error(), message), "%q does not say %q", err.Error(), message)
}

func eventually(ctx context.Context, what string, holds func() bool) {
	for !holds() {
		select {
		case <-ctx.Done():
			panic("never came to be: " + what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func receive[T any](ctx context.Context, channel <-chan T, what string) T {
	select {
	case value, open := <-channel:
		expect(open, "closed before: %s", what)
		return value
	case <-ctx.Done():
		panic("never came: " + what)
	}
}
