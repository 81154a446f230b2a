// Answers questions about custom resources with kube-apiserver's library. Reads one JSON object per line, writes one per line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	switch topic := os.Args[1]; topic {
	case "rules":
		answerLines(validateByRules)
	case "schemas":
		answerLines(applySchema)
	default:
		panic(fmt.Sprintf("unknown topic %q, allowed are rules and schemas", topic))
	}
}

func answerLines[Question, Answer any](answer func(Question) Answer) {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(make([]byte, 1<<20), 1<<27)
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)
	for input.Scan() {
		var asked Question
		if err := json.Unmarshal(input.Bytes(), &asked); err != nil {
			panic(err)
		}
		encoder.Encode(answer(asked))
	}
	if err := input.Err(); err != nil {
		panic(err)
	}
}
