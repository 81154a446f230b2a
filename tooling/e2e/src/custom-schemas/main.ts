// Applies random schemas to random objects, here and in kube-apiserver's library, and prints the differences:
//
//     node tooling/e2e/src/custom-schemas/main.ts                 20,000 schemas
//     node tooling/e2e/src/custom-schemas/main.ts 1000 7          1,000 schemas of seed 7
//     node tooling/e2e/src/custom-schemas/main.ts --record        writes the answers that packages/apiextensions tests without Go
import { writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { stringifyJson } from '@keelson/apimachinery'
import { buildReference } from '../custom-resource-answers/custom-resource-answers.ts'
import { applyInReference, compareAnswers, createRandomQuestions } from './reference-answers.ts'

const recordedCount = 120
const shown = 10

const program = await buildReference()
if (program === undefined) throw new Error('the program needs Go')
if (process.argv.includes('--record')) await record(program)
else await compare(program, Number(process.argv[2] ?? 20_000), Number(process.argv[3] ?? 1))

async function record(reference: string): Promise<void> {
  const questions = createRandomQuestions(42, recordedCount)
  const answers = await applyInReference(reference, questions)
  const lines = answers.flatMap((answer, i) =>
    answer.problem === undefined ? [`{"question":${questions[i]!},"answer":${stringifyJson(answer)}}\n`] : [],
  )
  writeFileSync(new URL('../../../../packages/apiextensions/testdata/schemas.jsonl', import.meta.url), lines.join(''))
}

async function compare(reference: string, count: number, seed: number): Promise<void> {
  const { compared, valid, differences } = await compareAnswers(reference, createRandomQuestions(seed, count))
  for (const { question, expected, received } of differences.slice(0, shown)) {
    console.log(question)
    for (const [key, value] of Object.entries({ ...received, ...expected })) {
      const receivedValue = received[key as keyof typeof received]
      if (!isDeepStrictEqual(value, receivedValue)) printDifference(key, value, receivedValue)
    }
  }
  const share = ((100 * (compared - differences.length)) / compared).toFixed(2)
  console.log(`${compared} of ${count} schemas compared, ${share} % equal, ${valid} objects valid`)
}

/** Prints two values of an answer. Prints only the items of lists that are not in both lists. */
function printDifference(key: string, expected: unknown, received: unknown): void {
  const [left, right] = [expected, received].map((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  const without = (items: unknown[], excluded: unknown[]): string => stringifyJson(items.filter((item) => !excluded.includes(item)))
  console.log(`  ${key}\n    kube-apiserver ${without(left!, right!)}\n    keelson        ${without(right!, left!)}`)
}
