import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ServerProcess extends AsyncDisposable {
  readonly port: number
  readonly token: string
  /** Returns the logged errors. Other messages are not logged at this verbosity. */
  readonly loggedErrors: () => string
  /** Returns the private memory of the process in bytes. */
  rss(): number
  /** Returns the processor time in milliseconds that the main thread has used since its start. */
  threadMilliseconds(): number
  running(): boolean
  /** Stops the server with SIGTERM. Returns the exit code and how long the stop took. */
  stop(): Promise<{ readonly code: number | null; readonly milliseconds: number }>
}

const entry = join(import.meta.dirname, '../../../../apps/apiserver/src/main.ts')
const token = 'admintoken'

/** Starts the server program with a memory store. */
export async function startServer(
  directory: string,
  flags: readonly string[] = [],
  { nodeFlags = [] }: { readonly nodeFlags?: readonly string[] } = {},
): Promise<ServerProcess> {
  const tokens = join(directory, 'tokens.csv')
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`)
  const data = join(directory, 'data')
  const child = spawn(
    process.execPath,
    [
      ...nodeFlags,
      entry,
      '--storage-backend=memory',
      '--secure-port=0',
      '--bind-address=127.0.0.1',
      '--controllers=none',
      `--data-dir=${data}`,
      `--token-auth-file=${tokens}`,
      ...flags,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let written = ''
  child.stderr.on('data', (text: Buffer) => (written = (written + text.toString()).slice(-100_000)))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const port = await new Promise<number>((resolve, reject) => {
    let out = ''
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString()
      const match = /https:\/\/127\.0\.0\.1:(\d+)/.exec(out)
      if (match !== null) resolve(Number(match[1]))
    })
    void exited.then((code) => reject(new Error(`the server exited with ${code}: ${written}`)))
  })
  const running = (): boolean => child.exitCode === null && child.signalCode === null
  const stop: ServerProcess['stop'] = async () => {
    const began = performance.now()
    if (running()) child.kill('SIGTERM')
    return { code: await exited, milliseconds: performance.now() - began }
  }
  return {
    port,
    token,
    loggedErrors: () => written.split('\n').filter(isLoggedError).join('\n'),
    rss: () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    // Fields: nanoseconds on a processor, nanoseconds ready to run, number of runs.
    threadMilliseconds: () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    running,
    stop,
    async [Symbol.asyncDispose]() {
      if (running()) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Returns whether a log line is an error. Normal lines are for example the address and created certificates. */
function isLoggedError(line: string): boolean {
  return line !== '' && !/^I\d{4} /.test(line)
}
