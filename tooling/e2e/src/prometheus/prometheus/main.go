// Stores pages of metrics in Prometheus' database and evaluates rules and queries on them, with Prometheus' own packages. Renders jsonnet files.
//
//	prometheus evaluate < job.json     prints {"expression", "series", "error"} for each rule and each query
//	prometheus render SNIPPET DIR…     prints the JSON of a jsonnet snippet; DIRs are searched for imports
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/google/go-jsonnet"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/tsdb"
)

// job is the input of evaluate.
type job struct {
	// Labels of all series, as a scrape adds them.
	Labels map[string]string `json:"labels"`
	Pages  []page            `json:"pages"`
	// Rules are evaluated after each page, in this order. Their results are stored.
	Rules []rule `json:"rules"`
	// Queries are evaluated at the time of the last page.
	Queries []string `json:"queries"`
}

type page struct {
	At          int64  `json:"at"`
	ContentType string `json:"contentType"`
	Text        string `json:"text"`
}

type rule struct {
	Record string            `json:"record"`
	Expr   string            `json:"expr"`
	Labels map[string]string `json:"labels"`
}

type result struct {
	Expression string `json:"expression"`
	Series     int    `json:"series"`
	Error      string `json:"error,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) >= 2 && args[0] == "render" {
		vm := jsonnet.MakeVM()
		vm.Importer(&jsonnet.FileImporter{JPaths: args[2:]})
		text, err := vm.EvaluateAnonymousSnippet("snippet.jsonnet", args[1])
		fmt.Print(text)
		return err
	}
	if len(args) == 1 && args[0] == "evaluate" {
		return evaluate()
	}
	return errors.New("usage: prometheus evaluate | render SNIPPET DIR…")
}

func evaluate() error {
	var wanted job
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		return err
	}
	directory, err := os.MkdirTemp("", "keelson-prometheus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	db, err := tsdb.Open(directory, nil, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return err
	}
	defer db.Close()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples:           50_000_000,
		Timeout:              time.Minute,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		Parser:               parser.NewParser(parser.Options{}),
	})
	query := func(expr string, at int64) (promql.Vector, error) {
		compiled, err := engine.NewInstantQuery(context.Background(), db, nil, expr, time.UnixMilli(at))
		if err != nil {
			return nil, err
		}
		defer compiled.Close()
		answer := compiled.Exec(context.Background())
		if answer.Err != nil {
			return nil, answer.Err
		}
		if scalar, err := answer.Scalar(); err == nil {
			return promql.Vector{{T: scalar.T, F: scalar.V}}, nil
		}
		vector, err := answer.Vector()
		return append(promql.Vector{}, vector...), err
	}
	results := make([]result, len(wanted.Rules))
	var last int64
	for _, each := range wanted.Pages {
		if err := store(db, each, wanted.Labels); err != nil {
			return err
		}
		last = each.At
		for i, r := range wanted.Rules {
			vector, err := query(r.Expr, each.At)
			results[i] = describe(r.Expr, vector, err)
			if err != nil || r.Record == "" {
				continue
			}
			if err := record(db, r, vector, each.At); err != nil {
				return err
			}
		}
	}
	for _, expr := range wanted.Queries {
		vector, err := query(expr, last)
		results = append(results, describe(expr, vector, err))
	}
	return json.NewEncoder(os.Stdout).Encode(results)
}

// describe counts the series with a value.
func describe(expr string, vector promql.Vector, err error) result {
	described := result{Expression: expr}
	if err != nil {
		described.Error = err.Error()
	}
	for _, sample := range vector {
		if !math.IsNaN(sample.F) {
			described.Series++
		}
	}
	return described
}

// store adds the samples of a page, like a scrape.
func store(db *tsdb.DB, each page, extra map[string]string) error {
	reader, err := textparse.New([]byte(each.Text), each.ContentType, nil, textparse.ParserOptions{})
	if err != nil {
		return err
	}
	appender := db.Appender(context.Background())
	for {
		entry, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		_, _, value := reader.Series()
		reader.Labels(&series)
		builder := labels.NewBuilder(series)
		for name, text := range extra {
			builder.Set(name, text)
		}
		if _, err := appender.Append(0, builder.Labels(), each.At, value); err != nil {
			return fmt.Errorf("%s: %w", series, err)
		}
	}
	return appender.Commit()
}

// record stores the result of a rule.
func record(db *tsdb.DB, r rule, vector promql.Vector, at int64) error {
	appender := db.Appender(context.Background())
	for _, sample := range vector {
		builder := labels.NewBuilder(sample.Metric)
		builder.Set(labels.MetricName, r.Record)
		for name, text := range r.Labels {
			builder.Set(name, text)
		}
		if _, err := appender.Append(0, builder.Labels(), at, sample.F); err != nil {
			return err
		}
	}
	return appender.Commit()
}
