// npm run test:faults. Runs parts of the scenarios until the time limit. The next run continues with the remaining parts. See README.md.
import { join } from 'node:path'
import { formatHelp, parseFaultOptions, type FaultOptions } from './run/fault-options.ts'
import { FinishedParts, type FinishedPart } from './run/finished-parts.ts'
import type { Part } from './run/parts.ts'
import { runPart } from './run/run-part.ts'
import { scenarios } from './scenarios/index.ts'

/** Time in milliseconds after which no part starts. The longest part takes three minutes. */
const lastStart = 5 * 60_000

const print = (text: string): void => void process.stdout.write(`${text}\n`)

let options: FaultOptions | 'help'
try {
  options = parseFaultOptions(process.argv.slice(2), scenarios)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(2)
}
if (options === 'help') {
  print(formatHelp(scenarios))
  process.exit()
}

const began = performance.now()
const finished = new FinishedParts(join(import.meta.dirname, '../../../.keelson/faults'))
const { parts, resume, fresh } = options
if (fresh) finished.clear()

let remaining = 0
for (const part of parts) {
  if (resume && finished.get(part.id)) continue
  const reason = await part.scenario.explainUnavailable?.()
  if (reason !== undefined) print(`${part.id}: left out, ${reason}`)
  else if (performance.now() - began > lastStart) remaining++
  else {
    print(`${part.id}: ${part.scenario.about} …`)
    const result = await runPart(part.scenario, part.rounds, (text) => print(`  ${text}`))
    finished.set(part.id, result)
    for (const { rule, message } of result.violations) print(`  VIOLATION ${rule}: ${message}`)
  }
}

const total = { rounds: 0, operations: 0, events: 0, violations: 0 }
print(
  `\n${'scenario'.padEnd(18)}${'rounds'.padStart(8)}${'operations'.padStart(12)}${'events'.padStart(10)}${'violations'.padStart(12)}${'seconds'.padStart(9)}`,
)
for (const scenario of new Set(parts.map((part) => part.scenario)))
  printLine(
    scenario.name,
    parts.filter((part) => part.scenario === scenario),
  )
print(`${'all'.padEnd(18)}${formatCells(total.rounds, total.operations, total.events, total.violations)}`)
if (remaining > 0) print(`\n${remaining} of ${parts.length} parts are left: run the same command again. --fresh starts from the beginning.`)
if (total.violations > 0) process.exitCode = 1

function printLine(name: string, printedParts: readonly Part[]): void {
  const results = printedParts.map((part) => finished.get(part.id)).filter((result): result is FinishedPart => result !== undefined)
  const sum = (of: (result: FinishedPart) => number): number => results.reduce((accumulated, result) => accumulated + of(result), 0)
  const [rounds, operations, events, violations] = [
    sum((r) => r.rounds),
    sum((r) => r.operations),
    sum((r) => r.events),
    sum((r) => r.violations.length),
  ]
  total.rounds += rounds
  // Does not count the writes of the bounds scenarios, because they are not checked.
  if (!name.startsWith('bounds')) total.operations += operations
  total.events += events
  total.violations += violations
  print(
    `${name.padEnd(18)}${formatCells(rounds, operations, events, violations)}${sum((r) => r.seconds)
      .toFixed(1)
      .padStart(9)}`,
  )
  for (const { notes } of results) for (const note of notes) print(`    ${note}`)
}

function formatCells(rounds: number, operations: number, events: number, violations: number): string {
  return `${String(rounds).padStart(8)}${String(operations).padStart(12)}${String(events).padStart(10)}${String(violations).padStart(12)}`
}
