// Compares random rules with kube-apiserver's library and prints the differences:
//
//     node tooling/e2e/src/cel-rules/main.ts                 50,000 expressions
//     node tooling/e2e/src/cel-rules/main.ts 2000 7          2,000 expressions of seed 7
//     node tooling/e2e/src/cel-rules/main.ts --record        replaces the recorded answers, which the tests of packages/apiextensions use without Go
import { readFileSync, writeFileSync } from 'node:fs'
import { askRecordedRule } from '@keelson/apiextensions/testing'
import type { RecordedRule, RuleQuestion } from '@keelson/apiextensions/testing'
import { buildReference } from '../custom-resource-answers/custom-resource-answers.ts'
import { askAboutRules, compareRules } from './compare-rules.ts'

const file = new URL('../../../../packages/apiextensions/testdata/rules.jsonl', import.meta.url)
const shown = 10

const program = await buildReference()
if (program === undefined) throw new Error('the program needs Go')
if (process.argv.includes('--record')) await record(program)
else await compare(program, Number(process.argv[2] ?? 50_000), Number(process.argv[3] ?? 1))

async function record(reference: string): Promise<void> {
  const [first, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const values = JSON.parse(first!) as RuleQuestion
  const recorded = lines.map((line) => JSON.parse(line) as RecordedRule)
  const answers = await askAboutRules(
    reference,
    recorded.map(({ rule }) => askRecordedRule(values, rule)),
  )
  const newLines = recorded.map(({ rule }, i) => JSON.stringify({ rule, answer: answers[i] }))
  writeFileSync(file, [first!, ...newLines, ''].join('\n'))
}

async function compare(reference: string, count: number, seed: number): Promise<void> {
  const { differences, ...counts } = await compareRules(reference, { count, seed })
  for (const difference of differences.slice(0, shown)) console.log(JSON.stringify(difference, undefined, 1))
  console.log(counts, `${differences.length} differences`)
}
