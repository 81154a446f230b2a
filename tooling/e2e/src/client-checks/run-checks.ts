import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface CheckRun {
  readonly file: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Handles a request that the program prints, such as a restart of the server. */
  readonly answer?: (request: string) => Promise<void> | void
}

export interface CheckResult {
  /** Format: `group/name`. */
  readonly name: string
  /** Reason of the failure. Undefined if the check passed. */
  readonly failure: string | undefined
}

/**
 * Runs a program that checks a server with a client library of another language. The program prints a line for each check: `ok GROUP/NAME`
 * or `FAIL GROUP/NAME: REASON`. It can also print `? REQUEST` and wait for a line on stdin.
 */
export async function runChecks({ file, args, environment, answer }: CheckRun): Promise<readonly CheckResult[]> {
  const child = spawn(file, args, { env: { ...process.env, ...environment }, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(`exit ${code ?? signal}`))
  })
  const results: CheckResult[] = []
  let buffered = ''
  const keep = (text: string): void => void (buffered = `${buffered}${text}\n`.slice(-10_000))
  child.stdin.on('error', () => {})
  child.stderr.on('data', (data: Buffer) => keep(data.toString().trimEnd()))
  for await (const line of createInterface({ input: child.stdout })) {
    const [, verdict, name = '', failure] = /^(ok|FAIL) (\S+?)(?:: (.*))?$/.exec(line) ?? []
    if (verdict !== undefined) results.push({ name, failure: verdict === 'ok' ? undefined : (failure ?? 'failed') })
    else if (line.startsWith('? ')) {
      await answer?.(line.slice(2))
      child.stdin.write('done\n')
    } else keep(line)
  }
  const end = await ended
  const failures = results.some(({ failure }) => failure !== undefined)
  if (end !== (failures ? 'exit 1' : 'exit 0')) results.push({ name: `*/${end}`, failure: buffered })
  return results
}

/** Returns the failures of a group, including "no checks ran". A test expects an empty list. */
export function listFailures(results: readonly CheckResult[], group: string): readonly string[] {
  const groupResults = results.filter(({ name }) => name.startsWith(`${group}/`))
  const aborted = results.filter(({ name }) => name.startsWith('*/'))
  const failures = [...groupResults, ...aborted]
    .filter(({ failure }) => failure !== undefined)
    .map(({ name, failure }) => `${name}: ${failure}`)
  return groupResults.length === 0 ? [`${group}: no checks ran`, ...failures] : failures
}
