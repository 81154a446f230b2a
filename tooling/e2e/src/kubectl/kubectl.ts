import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** The result of a finished command. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Input on stdin. Default: empty. */
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Working directory and environment variables of a command. */
export interface Place {
  /** Working directory. Default: the cache directory. */
  readonly directory?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs kubectl with one kubeconfig and an empty cache, like a new user. */
export class Kubectl {
  readonly #binary: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #directory: string

  constructor(binary: string, { kubeconfig }: { readonly kubeconfig: string }, cache: string, place: Place = {}) {
    this.#binary = binary
    this.#environment = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: cache, HOME: cache, ...place.environment }
    this.#directory = place.directory ?? cache
    mkdirSync(cache, { recursive: true })
  }

  /** Runs kubectl and returns its output and exit code. Never rejects. */
  try(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return new Promise((resolve) => {
      const child = execFile(
        this.#binary,
        args,
        { cwd: this.#directory, env: { ...this.#environment, ...options.environment }, maxBuffer: 64 << 20, timeout: 60_000 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
      )
      // Ignores the error of a closed pipe, which occurs if kubectl exits before it has read its input.
      child.stdin?.on('error', () => {})
      child.stdin?.end(options.input ?? '')
    })
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, options)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${code}\n${stdout}${stderr}`)
    return stdout
  }

  /** Starts a kubectl command that keeps running, such as `get -w`. */
  start(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): { child: ChildProcess; lines: () => readonly string[]; until: (text: string) => Promise<void> } {
    const env = { ...this.#environment, ...environment }
    const child = spawn(this.#binary, args, { cwd: this.#directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const waiting = new Set<() => void>()
    const take = (data: Buffer): void => {
      output += data.toString()
      for (const look of waiting) look()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    return {
      child,
      lines: () => output.split('\n').filter(Boolean),
      until: (text) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error(`"${text}" was not printed:\n${output}`)), 15_000)
          const look = (): void => {
            if (!output.includes(text)) return
            clearTimeout(timer)
            waiting.delete(look)
            resolve()
          }
          waiting.add(look)
          look()
        }),
    }
  }
}
