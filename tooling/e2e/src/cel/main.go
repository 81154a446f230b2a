// Evaluates CEL expressions in kube-apiserver's environment. Reads one JSON object per line, writes one per line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	Text      string         `json:"text"`
	Variables map[string]any `json:"variables"`
}

type answer struct {
	Text    string  `json:"text"`
	Problem string  `json:"problem,omitempty"`
	Value   *string `json:"value,omitempty"`
	Error   *string `json:"error,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
}

type checker struct{}

// Authorize allows actions on pods by name, fails for secrets, and denies everything else.
func (checker) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if a.GetResource() == "secrets" {
		return authorizer.DecisionNoOpinion, "", fmt.Errorf("no secrets for %s", a.GetUser().GetName())
	}
	if a.GetResource() == "pods" || a.GetPath() == "/healthz" {
		return authorizer.DecisionAllow, fmt.Sprintf("%s %s/%s %s %s", a.GetVerb(), a.GetNamespace(), a.GetName(), a.GetSubresource(), a.GetUser().GetName()), nil
	}
	return authorizer.DecisionDeny, "no", nil
}

func main() {
	base, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("x", cel.DynType),
			cel.Variable("s", cel.StringType),
			cel.Variable("i", cel.IntType),
			cel.Variable("l", cel.ListType(cel.IntType)),
			cel.Variable("m", cel.MapType(cel.StringType, cel.StringType)),
			cel.Variable("authorizer", library.AuthorizerType),
			cel.Variable("authorizer.requestResource", library.ResourceCheckType),
			library.JSONPatch(),
			ext.Bindings(ext.BindingsVersion(0)),
		},
		DeclTypes: []*apiservercel.DeclType{},
	})
	if err != nil {
		panic(err)
	}
	env, err := base.Env(environment.StoredExpressions)
	if err != nil {
		panic(err)
	}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(make([]byte, 1<<20), 1<<26)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for input.Scan() {
		var asked question
		decoder := json.NewDecoder(strings.NewReader(input.Text()))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			panic(err)
		}
		encoder.Encode(evaluate(env, asked))
	}
}

func evaluate(env *cel.Env, asked question) (out answer) {
	out = answer{Text: asked.Text}
	defer func() {
		if reason := recover(); reason != nil {
			out.Problem = fmt.Sprintf("panic: %v", reason)
		}
	}()
	ast, issues := env.Compile(asked.Text)
	if issues != nil && issues.Err() != nil {
		out.Problem = issues.String()
		return out
	}
	program, err := env.Program(ast)
	if err != nil {
		out.Problem = err.Error()
		return out
	}
	someone := &user.DefaultInfo{Name: "alice"}
	variables := map[string]any{
		"authorizer": library.NewAuthorizerVal(someone, checker{}),
	}
	for name, value := range asked.Variables {
		variables[name] = numbers(value)
	}
	value, details, err := program.Eval(variables)
	if details != nil && details.ActualCost() != nil {
		out.Cost = details.ActualCost()
	}
	if err != nil {
		text := err.Error()
		out.Error = &text
		return out
	}
	text := show(value)
	out.Value = &text
	return out
}

// numbers converts JSON numbers as the decoder of unstructured objects does.
func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return value
}

// show formats a value with its type, map keys sorted.
func show(value ref.Val) string {
	switch v := value.(type) {
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Sprintf("double(%v)", float64(v))
		}
		return fmt.Sprintf("double(%s)", strconv.FormatFloat(float64(v), 'e', -1, 64))
	case types.String:
		text, _ := json.Marshal(string(v))
		return unescapeHTML(string(text))
	case types.Bytes:
		return fmt.Sprintf("bytes(%x)", []byte(v))
	case types.Null:
		return "null"
	case types.Duration:
		return fmt.Sprintf("duration(%d)", v.Duration.Nanoseconds())
	case types.Timestamp:
		return "timestamp(" + v.Time.Format(time.RFC3339Nano) + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional(" + show(v.GetValue()) + ")"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")"
	case *apiservercel.Quantity:
		return "quantity(" + v.Quantity.String() + ")"
	case apiservercel.IP:
		return "ip(" + v.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + v.Prefix.String() + ")"
	case apiservercel.URL:
		return "url(" + v.URL.String() + ")"
	case traits.Lister:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, show(it.Next()))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			parts = append(parts, show(key)+": "+show(v.Get(key)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "<" + value.Type().TypeName() + ">"
}

func unescapeHTML(text string) string {
	for from, to := range map[string]string{"\\u003c": "<", "\\u003e": ">", "\\u0026": "&", "\\u2028": "\u2028", "\\u2029": "\u2029"} {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}
