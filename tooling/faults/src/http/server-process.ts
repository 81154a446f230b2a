import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface ServerProcess extends AsyncDisposable {
  readonly port: number
  readonly token: string
  /** Token of a user of the group "workers". The server limits how many requests of this user run at the same time, unlike those of `token`. */
  readonly workerToken: string
  /** Returns the logged errors. Other messages are not logged at this verbosity. */
  readonly loggedErrors: () => string
  /** Returns the private memory of the process in bytes. */
  readMemory(): number
  /** Returns the processor time in milliseconds that the main thread has used since its start. */
  readThreadTime(): number
  isRunning(): boolean
  /** Collects garbage. Returns the size of the heap that remains in use in bytes. It does not contain stored bytes. */
  measureUsedHeap(): Promise<number>
  /** Stops the server with SIGTERM. Returns the exit code and how long the stop took. */
  stop(): Promise<{ readonly code: number | null; readonly milliseconds: number }>
}

const entry = join(import.meta.dirname, '../../../../apps/apiserver/src/main.ts')
const token = 'admintoken'
const workerToken = 'workertoken'

/** A module that the server loads first. On SIGUSR2, it collects garbage twice and writes the used heap to a file. */
const createHeapReporter = (file: string): string => `
  import { renameSync, writeFileSync } from 'node:fs'
  process.on('SIGUSR2', async () => {
    gc()
    await new Promise((resolve) => setTimeout(resolve, 100))
    gc()
    writeFileSync(${JSON.stringify(`${file}.new`)}, String(process.memoryUsage().heapUsed))
    renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)})
  })`
const patienceMs = 30_000

/** Starts the server program with a memory store. */
export async function startServer(
  directory: string,
  flags: readonly string[] = [],
  { nodeFlags = [] }: { readonly nodeFlags?: readonly string[] } = {},
): Promise<ServerProcess> {
  const tokens = join(directory, 'tokens.csv')
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n${workerToken},worker,worker,"workers"\n`)
  const data = join(directory, 'data')
  const heapFile = join(directory, 'used-heap')
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      '--import',
      `data:text/javascript,${encodeURIComponent(createHeapReporter(heapFile))}`,
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
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const stop: ServerProcess['stop'] = async () => {
    const began = performance.now()
    if (isRunning()) child.kill('SIGTERM')
    return { code: await exited, milliseconds: performance.now() - began }
  }
  return {
    port,
    token,
    workerToken,
    loggedErrors: () => written.split('\n').filter(isLoggedError).join('\n'),
    readMemory: () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    // Fields: nanoseconds on a processor, nanoseconds ready to run, number of runs.
    readThreadTime: () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    isRunning: isRunning,
    async measureUsedHeap() {
      rmSync(heapFile, { force: true })
      child.kill('SIGUSR2')
      for (const deadline = Date.now() + patienceMs; !existsSync(heapFile); await wait(20))
        if (Date.now() > deadline) throw new Error('the server did not report its heap')
      return Number(readFileSync(heapFile, 'utf8'))
    },
    stop,
    async [Symbol.asyncDispose]() {
      if (isRunning()) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Returns whether a log line is an error. Normal lines are for example the address and created certificates. */
function isLoggedError(line: string): boolean {
  return line !== '' && !/^I\d{4} /.test(line)
}
