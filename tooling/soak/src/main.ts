// npm run soak. Runs parts of the load until the time limit. The next call continues with the remaining parts. See README.md.
import { join } from 'node:path'
import { repositoryRoot } from '@keelson/tooling-e2e/repository-root'
import { FinishedParts } from '@keelson/tooling-faults/finished-parts'
import { formatMegabytes, judgeSoak } from './judge.ts'
import { runPart } from './run-part.ts'
import type { PartResult } from './run-part.ts'
import { help, parseSoakOptions, partMinutes } from './soak-options.ts'
import type { SoakOptions } from './soak-options.ts'
import { archiveDirectory, SoakedServer } from './soaked-server.ts'

/** Time in milliseconds after which no part starts. */
const lastStart = 5 * 60_000
const watchesPerKind = 8
const serverDirectory = join(repositoryRoot, '.keelson/soak/server')

const print = (text: string): void => void process.stdout.write(`${text}\n`)

let options: SoakOptions | 'help'
try {
  options = parseSoakOptions(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(2)
}
if (options === 'help') {
  print(help)
  process.exit()
}

const { minutes, rate, whole, fresh } = options
const began = performance.now()
const finished = new FinishedParts<PartResult>(join(repositoryRoot, '.keelson/soak/parts'))
const ids = Array.from({ length: Math.ceil(minutes / partMinutes) }, (_, n) => `${minutes}-${rate}-${n}`)
const server = await openServer()

for (const [n, id] of ids.entries()) {
  if (finished.get(id) !== undefined) continue
  if (!whole && performance.now() - began > lastStart) break
  server.keepAlive()
  const needed = setInterval(() => server.keepAlive(), 60_000)
  const seconds = Math.min(partMinutes, minutes - n * partMinutes) * 60
  print(`part ${n + 1} of ${ids.length}: ${seconds} s …`)
  const result = await runPart(server, { seconds, rate, watchesPerKind, comparesObjects: true })
  clearInterval(needed)
  finished.set(id, result)
  print(formatResult(result))
  for (const problem of result.problems) print(`  PROBLEM ${problem}`)
}

const results = ids.map((id) => finished.get(id)).filter((result) => result !== undefined)
print(`\n${results.length} of ${ids.length} parts:`)
for (const result of results) print(formatResult(result))
const problems = judgeSoak(results)
for (const problem of problems) print(`PROBLEM ${problem}`)
if (problems.length > 0) process.exitCode = 1
if (results.length === ids.length) {
  await server.stop()
  print(problems.length === 0 ? 'passed' : 'failed')
} else print('Run the same command again for the remaining parts. --fresh starts from the beginning.')

/**
 * Returns the server of earlier calls. If it stopped itself meanwhile, starts another one and begins with the first part. Fails if it has died,
 * because the results of another server would hide that.
 */
async function openServer(): Promise<SoakedServer> {
  const { server: running, problem } = await SoakedServer.attach(serverDirectory)
  if (fresh) await running?.stop()
  else if (problem !== undefined) {
    print(`PROBLEM ${problem}\n--fresh starts from the beginning.`)
    process.exit(1)
  } else if (running !== undefined) return running
  if (ids.some((id) => finished.get(id) !== undefined)) print('starting from the first part, on a new server')
  finished.clear()
  archiveDirectory(serverDirectory)
  return SoakedServer.start(serverDirectory, { detached: true })
}

function formatResult({ seconds, requests, events, readP99, lagP99, longestGap, heap, rss, omitted, outcomes }: PartResult): string {
  const skips = Object.values(outcomes).reduce((sum, { skipped }) => sum + skipped, 0)
  return [
    `  ${Math.round(seconds)} s, ${requests} requests, ${events} events`,
    `GET p99 ${readP99.toFixed(1)} ms`,
    `watch lag p99 ${lagP99.toFixed(1)} ms`,
    `longest gap ${longestGap.toFixed(0)} ms`,
    `heap ${formatMegabytes(heap)}`,
    `private memory ${formatMegabytes(rss)}`,
    ...(omitted > 0 ? [`${omitted} left out`] : []),
    ...(skips > 0 ? [`${skips} skipped`] : []),
  ].join(', ')
}
