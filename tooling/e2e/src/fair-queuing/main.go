// Runs simulated requests through kube-apiserver's queue set. Reads one scenario as JSON per line, and writes one outcome per line.
package main

import (
	"bufio"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/util/flowcontrol/debug"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/component-base/metrics/legacyregistry"
)

type level struct {
	// Negative for an exempt level, 0 for a level that rejects.
	Queues           int `json:"queues"`
	QueueLengthLimit int `json:"queueLengthLimit"`
	HandSize         int `json:"handSize"`
	Seats            int `json:"seats"`
}

type change struct {
	At int64 `json:"at"`
	level
}

type arrival struct {
	At           int64  `json:"at"`
	Flow         int    `json:"flow"`
	InitialSeats uint64 `json:"initialSeats"`
	FinalSeats   uint64 `json:"finalSeats"`
	Latency      int64  `json:"latency"`
	Duration     int64  `json:"duration"`
	// Time until the client leaves the queue. 0 for never.
	Patience int64 `json:"patience"`
}

type scenario struct {
	Level    level     `json:"level"`
	Flows    []string  `json:"flows"`
	Requests []arrival `json:"requests"`
	Changes  []change  `json:"changes"`
}

type outcome struct {
	Events  []string           `json:"events"`
	Metrics map[string]float64 `json:"metrics"`
	// Seat demand: seconds, average and maximum.
	Demand [3]float64 `json:"demand"`
}

// Kinds of events. Events at the same time run in this order, and then by number.
const (
	kindRelease = iota
	kindFinish
	kindLeave
	kindChange
	kindArrival
)

type event struct {
	at     int64
	kind   int
	number int
	run    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	a, b := e[i], e[j]
	if a.at != b.at {
		return a.at < b.at
	}
	if a.kind != b.kind {
		return a.kind < b.kind
	}
	return a.number < b.number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	popped := (*e)[last]
	*e = (*e)[:last]
	return popped
}

// simulation is also the clock of the queue set. One goroutine runs at a time, so the order of events does not depend on Go's scheduler.
type simulation struct {
	scenario   scenario
	now        int64
	queue      events
	finishing  int
	queueSet   fq.QueueSet
	requests   []*request
	dispatched []*request
	outcome    outcome
}

var _ eventclock.Interface = &simulation{}

func (s *simulation) Now() time.Time                  { return time.Unix(1000, s.now) }
func (s *simulation) Since(t time.Time) time.Duration { return s.Now().Sub(t) }
func (s *simulation) Sleep(time.Duration)             { panic("the queue set does not sleep") }
func (s *simulation) EventAfterTime(f eventclock.EventFunc, t time.Time) {
	s.EventAfterDuration(f, t.Sub(s.Now()))
}

// EventAfterDuration is called when the additional latency of a request begins.
func (s *simulation) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	number := s.finishing
	s.schedule(event{s.now + int64(d), kindRelease, number, func() {
		f(s.Now())
		s.log("release", number)
	}})
}

func (s *simulation) schedule(e event) { heap.Push(&s.queue, e) }

func (s *simulation) log(what string, number int) {
	s.outcome.Events = append(s.outcome.Events, fmt.Sprintf("%d %s %d", s.now, what, number))
}

type request struct {
	arrival
	number    int
	wasQueued bool
	isWaiting bool
	isLeaving bool
	cancel    context.CancelFunc
	executing chan struct{}
	release   chan struct{}
	done      chan struct{}
}

func main() {
	metrics.Register()
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(make([]byte, 1<<20), 1<<26)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	for input.Scan() {
		s := &simulation{}
		if err := json.Unmarshal(input.Bytes(), &s.scenario); err != nil {
			panic(err)
		}
		s.run()
		if err := encoder.Encode(s.outcome); err != nil {
			panic(err)
		}
	}
}

func (s *simulation) run() {
	metrics.Reset()
	labels := []string{"level"}
	demand := fq.NewNamedIntegrator(s, "demand")
	completer, err := queueset.NewQueueSetFactory(s).BeginConstruction(
		s.scenario.Level.queuing(),
		metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, labels),
		metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, labels),
		demand,
	)
	if err != nil {
		panic(err)
	}
	s.queueSet = completer.Complete(s.scenario.Level.dispatching())
	for number, each := range s.scenario.Changes {
		s.schedule(event{each.At, kindChange, number, func() { s.change(number, each.level) }})
	}
	for number, each := range s.scenario.Requests {
		r := &request{arrival: each, number: number, executing: make(chan struct{}), release: make(chan struct{}), done: make(chan struct{})}
		s.schedule(event{each.At, kindArrival, number, func() { s.arrive(r) }})
	}
	for count := 1; len(s.queue) > 0; count++ {
		next := heap.Pop(&s.queue).(event)
		s.now = next.at
		next.run()
		s.noteDispatched()
		if count%8 == 0 {
			s.outcome.Events = append(s.outcome.Events, s.describe())
		}
	}
	s.outcome.Events = append(s.outcome.Events, s.describe())
	s.outcome.Metrics = gather()
	results := demand.GetResults()
	s.outcome.Demand = [3]float64{results.Duration, results.Average, results.Max}
	if results.Duration == 0 {
		s.outcome.Demand[1] = 0
	}
}

func (s *simulation) change(number int, to level) {
	completer, err := s.queueSet.BeginConfigChange(to.queuing())
	if err != nil {
		panic(err)
	}
	completer.Complete(to.dispatching())
	s.log("change", number)
}

func (s *simulation) arrive(r *request) {
	name := s.scenario.Flows[r.Flow]
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	estimate := &fcrequest.WorkEstimate{InitialSeats: r.InitialSeats, FinalSeats: r.FinalSeats, AdditionalLatency: time.Duration(r.Latency)}
	started, _ := s.queueSet.StartRequest(ctx, estimate, hash("schema", name), name, "schema", "", "", func(inQueue bool) {
		r.isWaiting = inQueue
		r.wasQueued = true
		if !inQueue && !r.isLeaving {
			s.dispatched = append(s.dispatched, r)
		}
	})
	if started == nil {
		s.log("reject", r.number)
		cancel()
		return
	}
	if !r.wasQueued {
		s.dispatched = append(s.dispatched, r)
	}
	go func() {
		started.Finish(func() {
			queueset.OnRequestDispatched(started)
			r.executing <- struct{}{}
			<-r.release
		})
		r.done <- struct{}{}
	}()
	if r.isWaiting && r.Patience > 0 {
		s.schedule(event{s.now + r.Patience, kindLeave, r.number, func() { s.leave(r) }})
	}
}

func (s *simulation) leave(r *request) {
	if !r.isWaiting {
		return
	}
	r.isLeaving = true
	r.cancel()
	<-r.done
	s.log("cancel", r.number)
}

func (s *simulation) noteDispatched() {
	for _, r := range s.dispatched {
		<-r.executing
		s.log("dispatch", r.number)
		s.schedule(event{s.now + r.Duration, kindFinish, r.number, func() { s.finish(r) }})
	}
	s.dispatched = nil
}

func (s *simulation) finish(r *request) {
	s.finishing = r.number
	close(r.release)
	<-r.done
	r.cancel()
	s.log("finish", r.number)
}

// describe returns the state of the queues that are in use.
func (s *simulation) describe() string {
	dump := s.queueSet.Dump(false)
	var out strings.Builder
	fmt.Fprintf(&out, "waiting %d executing %d seats %d dispatched %d rejected %d cancelled %d queues %d",
		dump.Waiting, dump.Executing, dump.SeatsInUse, dump.Dispatched, dump.Rejected, dump.Cancelled, len(dump.Queues))
	for index, queue := range dump.Queues {
		if len(queue.Requests)+queue.ExecutingRequests+queue.SeatsInUse > 0 {
			describeQueue(&out, index, queue)
		}
	}
	return out.String()
}

func describeQueue(out *strings.Builder, index int, queue debug.QueueDump) {
	fmt.Fprintf(out, "; %d: %d %d %d %d %d %s %s", index, len(queue.Requests), queue.ExecutingRequests, queue.SeatsInUse,
		queue.QueueSum.InitialSeatsSum, queue.QueueSum.MaxSeatsSum, queue.QueueSum.TotalWorkSum, queue.NextDispatchR)
}

func (l level) queuing() fq.QueuingConfig {
	return fq.QueuingConfig{Name: "level", DesiredNumQueues: l.Queues, QueueLengthLimit: l.QueueLengthLimit, HandSize: l.HandSize}
}

func (l level) dispatching() fq.DispatchingConfig {
	return fq.DispatchingConfig{ConcurrencyLimit: l.Seats, ConcurrencyDenominator: max(1, l.Seats)}
}

// hash returns the hash that kube-apiserver computes of a flow. Its function is not exported.
func hash(schema, distinguisher string) uint64 {
	sum := sha256.Sum256([]byte(schema + "\x00" + distinguisher))
	return binary.LittleEndian.Uint64(sum[:8])
}

// gather returns the metrics of the queue set, by name and label values. Histograms are counts and sums.
func gather() map[string]float64 {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		panic(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		name, isOurs := strings.CutPrefix(family.GetName(), "apiserver_flowcontrol_")
		// The ratios are sampled by the system clock.
		if !isOurs || strings.HasSuffix(name, "_utilization") {
			continue
		}
		for _, metric := range family.GetMetric() {
			key := name
			for _, label := range metric.GetLabel() {
				if label.GetName() == "reason" || label.GetName() == "bound" {
					key += " " + label.GetValue()
				}
			}
			switch {
			case metric.GetCounter() != nil:
				values[key] = metric.GetCounter().GetValue()
			case metric.GetGauge() != nil:
				values[key] = metric.GetGauge().GetValue()
			case metric.GetHistogram() != nil:
				values[key+" count"] = float64(metric.GetHistogram().GetSampleCount())
				values[key+" sum"] = metric.GetHistogram().GetSampleSum()
			}
		}
	}
	return values
}
