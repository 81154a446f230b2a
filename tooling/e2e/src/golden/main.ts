// npm run golden: replays recorded requests against a fresh server, compares the responses with kube-apiserver's and prints the score by
// kind.
import path from 'node:path'
import { getCaseSubject } from './case-subject.ts'
import { hasRecordings, playGolden } from './play.ts'
import { readCases } from './read-cases.ts'

if (!hasRecordings) {
  process.stderr.write('golden: there are no recordings in ../shared/golden\n')
  process.exit(2)
}
const args = process.argv.slice(2)
const outcome = await playGolden(args)
process.stdout.write(outcome.output)

const parseOption = (name: string): Set<string> | undefined => {
  const at = args.indexOf(name)
  return at < 0 ? undefined : new Set((args[at + 1] ?? '').split(',').filter(Boolean))
}
const only = parseOption('--with')
const without = parseOption('--without') ?? new Set()
const substring = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '') : ''
const failedCases = new Set(outcome.fails.map((fail) => fail.id))
const score = new Map<string, { cases: number; matching: number }>()
for (const golden of readCases(parsePlayedFiles())) {
  const needs = golden.needs ?? []
  if (golden.setup === true || !golden.id.includes(substring)) continue
  if (needs.some((tag) => without.has(tag) || (only !== undefined && !only.has(tag)))) continue
  const kind = getCaseSubject(golden)
  const row = score.get(kind) ?? { cases: 0, matching: 0 }
  row.cases += 1
  if (!failedCases.has(golden.id)) row.matching += 1
  score.set(kind, row)
}
process.stdout.write('\ncases that match, by kind:\n')
for (const [kind, row] of [...score].sort(([a], [b]) => (a < b ? -1 : 1)))
  process.stdout.write(`${row.matching === row.cases ? 'ok  ' : '    '} ${kind}: ${row.matching} of ${row.cases}\n`)
process.exit(outcome.failed === 0 ? 0 : 1)

/** Returns the file names after `--cases`, up to the next flag. Returns undefined if the flag is missing, for the default files. */
function parsePlayedFiles(): readonly string[] | undefined {
  const at = args.indexOf('--cases')
  if (at < 0) return undefined
  const childArgs = args.slice(at + 1)
  const end = childArgs.findIndex((argument) => argument.startsWith('--'))
  return childArgs.slice(0, end < 0 ? undefined : end).map((file) => path.resolve(file))
}
