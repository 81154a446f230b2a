// Evaluates the expressions of packages/cel/testdata/evaluations.jsonl in kube-apiserver's environment and records the results again: node
// tooling/e2e/src/cel/main.ts
import { readFileSync, writeFileSync } from 'node:fs'
import type { Answer } from '@keelson/cel/testing'
import { buildReference, evaluateInReference } from './reference-answers.ts'

const file = new URL('../../../../packages/cel/testdata/evaluations.jsonl', import.meta.url)
const texts = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => (JSON.parse(line) as Answer).text)
const program = await buildReference()
if (program === undefined) throw new Error('the program needs Go')
const answers = await evaluateInReference(program, texts)
writeFileSync(file, answers.map((answer) => JSON.stringify(answer) + '\n').join(''))
