import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

/** Number of characters of the output that are kept for error messages. */
const keptOutput = 20_000

/** A running program of an operator. */
export class OperatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #output = ''

  constructor(file: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()))
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (data: Buffer) => (this.#output = (this.#output + data.toString()).slice(-keptOutput)))
  }

  /** The last part of the program's output. */
  get output(): string {
    return this.#output
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal)
    await this.#ended
  }

  /** Suspends the program. It then no longer responds, but its connections stay open. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

/** Runs a scenario. If it fails, adds the output of the programs to the error. */
export async function withOutput(programs: readonly OperatorProcess[], scenario: () => Promise<void>): Promise<void> {
  try {
    await scenario()
  } catch (error) {
    const outputs = programs.map(({ output }) => output.slice(-4000)).join('\n---\n')
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${outputs}`, { cause: error })
  }
}
