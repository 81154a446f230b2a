// repeat-tests.ts --times=N [--fresh] -- COMMAND ARGS…: runs a vitest command N times. The same command resumes an interrupted series.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Outcome of one round. */
export interface Round {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
  /** Names of the failed tests, and errors that do not belong to a test. */
  readonly failures: readonly string[]
  /** Path of the file with the output of a failed round. */
  readonly log?: string
}

interface SeriesOptions {
  readonly times: number
  /** Whether to ignore the rounds of an earlier, interrupted series. */
  readonly fresh: boolean
  /** Path of the file in which finished rounds are stored. */
  readonly stateFile: string
  /** Runs one round. Returns undefined if the round was interrupted. Interrupted rounds are not stored. */
  readonly runRound: (round: number) => Promise<Round | undefined>
  readonly print: (line: string) => void
}

const interrupted = 130

/** Runs the remaining rounds and returns the exit status: 0 if all rounds passed, including earlier ones. */
export async function runSeries({ times, fresh, stateFile, runRound, print }: SeriesOptions): Promise<number> {
  const rounds = fresh ? [] : readRounds(stateFile).slice(0, times)
  if (rounds.length > 0) print(`${rounds.length} of ${times} rounds are already done (--fresh starts from the beginning)`)
  for (const [i, round] of rounds.entries()) for (const line of roundLines(i + 1, times, round)) print(line)
  while (rounds.length < times) {
    const round = await runRound(rounds.length + 1)
    if (round === undefined) {
      print(`interrupted in round ${rounds.length + 1}; run the same command to resume`)
      return interrupted
    }
    rounds.push(round)
    writeRounds(stateFile, rounds)
    for (const line of roundLines(rounds.length, times, round)) print(line)
  }
  const failed = rounds.filter(isFailed)
  print(failed.length === 0 ? `all ${times} rounds passed` : `${failed.length} of ${times} rounds failed`)
  for (const [name, count] of countFailures(failed)) print(`  ${count} × ${name}`)
  return failed.length === 0 ? 0 : 1
}

function isFailed({ failures }: Round): boolean {
  return failures.length > 0
}

function roundLines(number: number, times: number, { passed, failed, skipped, seconds, failures, log }: Round): readonly string[] {
  const line = `round ${number}/${times}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds.toFixed(1)} s`
  return [line, ...failures.map((name) => `  FAIL ${name}`), ...(log === undefined ? [] : [`  log: ${log}`])]
}

function countFailures(rounds: readonly Round[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { failures } of rounds) for (const name of failures) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function readRounds(file: string): Round[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Round[]
  } catch {
    return []
  }
}

/** Writes the file atomically, because a series may be killed at any time. */
function writeRounds(file: string, rounds: readonly Round[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(rounds))
  renameSync(`${file}.new`, file)
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Converts the report of vitest's JSON reporter to a round. `report` is undefined if vitest wrote none. */
export function createRound(
  report: Report | undefined,
  { status, seconds, root }: { status: number; seconds: number; root: string },
): Round {
  if (report === undefined)
    return { passed: 0, failed: 0, skipped: 0, seconds, failures: [`vitest exited with status ${status} and wrote no report`] }
  const failures = report.testResults.flatMap(({ name, status: fileStatus, assertionResults }) => {
    const file = path.relative(root, name)
    const tests = assertionResults.filter((test) => test.status === 'failed').map((test) => `${file} > ${test.fullName}`)
    return fileStatus === 'failed' && tests.length === 0 ? [`${file}: failed to load`] : tests
  })
  if (status !== 0 && failures.length === 0) failures.push(`vitest exited with status ${status}, but no test failed`)
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    seconds,
    failures,
  }
}

async function main(args: readonly string[]): Promise<number> {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
  const behind = args.indexOf('--')
  const [command, ...commandArgs] = args.slice(behind + 1)
  const written = args.slice(0, behind).find((option) => option.startsWith('--times='))
  const times = Number(written?.slice('--times='.length))
  if (behind < 0 || command === undefined || !Number.isInteger(times) || times < 1) {
    process.stderr.write(`--times: wants a whole number of rounds, at least 1, not ${JSON.stringify(written?.slice('--times='.length))}\n`)
    return 2
  }
  const directory = path.join(root, 'node_modules/.cache/keelson-repeat', createKey(root, [command, ...commandArgs]))
  mkdirSync(directory, { recursive: true })
  return runSeries({
    times,
    fresh: args.slice(0, behind).includes('--fresh'),
    stateFile: path.join(directory, 'rounds.json'),
    runRound: (number) => runVitest([command, ...commandArgs], { root, directory, number }),
    print: (line) => process.stdout.write(`${line}\n`),
  })
}

/** Returns the identity of a series: a hash of the commit, the uncommitted changes and the command. */
function createKey(root: string, command: readonly string[]): string {
  const runGit = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  const hash = createHash('sha256')
  for (const text of [
    runGit('rev-parse', 'HEAD'),
    runGit('diff', 'HEAD'),
    runGit('ls-files', '--others', '--exclude-standard'),
    ...command,
  ])
    hash.update(`${text}\0`)
  return hash.digest('hex').slice(0, 16)
}

interface Place {
  readonly root: string
  readonly directory: string
  readonly number: number
}

async function runVitest(
  [command, ...args]: readonly [string, ...string[]],
  { root, directory, number }: Place,
): Promise<Round | undefined> {
  const report = path.join(directory, 'report.json')
  const log = path.join(directory, `round-${number}.log`)
  rmSync(report, { force: true })
  const output = openSync(log, 'w')
  const began = performance.now()
  const child = spawn(command, [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], {
    cwd: root,
    stdio: ['ignore', output, output],
  })
  let stopped = false
  const stop = (signal: NodeJS.Signals): void => {
    stopped = true
    child.kill(signal)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])))
  })
  process.off('SIGINT', stop).off('SIGTERM', stop)
  closeSync(output)
  if (stopped) return undefined
  const round = createRound(readReport(report), { status, seconds: (performance.now() - began) / 1000, root })
  if (isFailed(round)) return { ...round, log }
  rmSync(log)
  return round
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
