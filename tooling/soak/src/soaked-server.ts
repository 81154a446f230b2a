import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { serverEntry } from '@keelson/tooling-e2e/repository-root'
import { createReporter, unneededFile } from './reporter.ts'
import type { Gap } from './reporter.ts'

export const token = 'admintoken'
const patienceMs = 60_000
const readyMs = 20_000

interface ServerRecord {
  readonly pid: number
  readonly url: string
}

export interface ServerStartOptions {
  /** Arguments of Node, in addition to those of the reporter. */
  readonly nodeFlags?: readonly string[]
  /** Whether the server continues when this process ends. */
  readonly detached?: boolean
}

/** The server of an earlier call. */
export interface AttachedServer {
  readonly server?: SoakedServer
  /** A failure of that server. */
  readonly problem?: string
}

/** The server under load. It may outlive the process that started it, so that one server serves all parts of a soak. */
export class SoakedServer {
  readonly url: string
  readonly pid: number
  readonly #directory: string
  readonly #child: ChildProcess | undefined

  private constructor(directory: string, { url, pid }: ServerRecord, child?: ChildProcess) {
    this.#directory = directory
    this.url = url
    this.pid = pid
    this.#child = child
  }

  /** Starts the built program with a durable store in this directory, which must be empty. */
  static async start(directory: string, { nodeFlags = [], detached = false }: ServerStartOptions = {}): Promise<SoakedServer> {
    mkdirSync(directory, { recursive: true })
    const tokens = join(directory, 'tokens.csv')
    writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`)
    touchFile(join(directory, 'needed'))
    const log = openSync(join(directory, 'log'), 'w')
    const child = spawn(
      process.execPath,
      [
        '--expose-gc',
        '--import',
        `data:text/javascript,${encodeURIComponent(createReporter(directory))}`,
        ...nodeFlags,
        serverEntry,
        `--data-dir=${join(directory, 'data')}`,
        '--secure-port=0',
        '--bind-address=127.0.0.1',
        '--service-cluster-ip-range=10.0.0.0/16',
        `--token-auth-file=${tokens}`,
      ],
      { stdio: ['ignore', log, log], detached },
    )
    if (detached) child.unref()
    const record = { pid: child.pid ?? 0, url: await readUrl(directory, child) }
    const server = new SoakedServer(directory, record, child)
    await server.#waitUntilReady()
    writeFileSync(join(directory, 'server.json'), JSON.stringify(record))
    return server
  }

  /**
   * Finds the server that an earlier call started in this directory. There is none if no call has started it, or if it stopped itself because
   * it was not needed. Any other absence is a problem: the server has failed between two calls.
   */
  static async attach(directory: string): Promise<AttachedServer> {
    const file = join(directory, 'server.json')
    if (!existsSync(file)) return {}
    const server = new SoakedServer(directory, JSON.parse(readFileSync(file, 'utf8')) as ServerRecord)
    if (existsSync(join(directory, unneededFile))) return {}
    if (!server.running()) return { problem: `the server of the earlier parts has died: ${server.log().slice(-2000)}` }
    server.keepAlive()
    if (await server.#isReady()) return { server }
    return { server, problem: `the server of the earlier parts is not ready: ${server.log().slice(-2000)}` }
  }

  /** Tells the server that it is still needed. Without that it stops itself after a while. */
  keepAlive(): void {
    touchFile(join(this.#directory, 'needed'))
  }

  running(): boolean {
    if (this.#child !== undefined) return this.#child.exitCode === null && this.#child.signalCode === null
    // The process id may belong to another process by now.
    const file = `/proc/${this.pid}/cmdline`
    return existsSync(file) && readFileSync(file, 'utf8').includes(this.#directory)
  }

  log(): string {
    return readFileSync(join(this.#directory, 'log'), 'utf8')
  }

  /** Returns the private memory of the process in bytes. */
  rss(): number {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  }

  /** Collects garbage. Returns the size in bytes of the heap that remains in use. */
  async usedHeap(): Promise<number> {
    const file = join(this.#directory, 'used-heap')
    rmSync(file, { force: true })
    process.kill(this.pid, 'SIGUSR2')
    for (const deadline = Date.now() + patienceMs; !existsSync(file); await wait(20))
      if (Date.now() > deadline) throw new Error('the server did not report its heap')
    return Number(readFileSync(file, 'utf8'))
  }

  /** Returns the gaps of the event loop that were reported between two times of `Date.now()`. */
  gaps(from: number, to: number): Gap[] {
    const file = join(this.#directory, 'gaps')
    if (!existsSync(file)) return []
    const gaps = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    return gaps.map((line) => JSON.parse(line) as Gap).filter(({ at }) => at >= from && at <= to)
  }

  /** Stops the server with SIGTERM. Resolves when it has exited. */
  async stop(): Promise<void> {
    rmSync(join(this.#directory, 'server.json'), { force: true })
    if (this.running()) process.kill(this.pid, 'SIGTERM')
    for (const deadline = Date.now() + patienceMs; this.running(); await wait(50))
      if (Date.now() > deadline) {
        process.kill(this.pid, 'SIGKILL')
        throw new Error('the server did not stop')
      }
  }

  async #isReady(): Promise<boolean> {
    using client = new HttpsClient(this.url, token, 1)
    return (await client.request('GET', '/readyz', { signal: AbortSignal.timeout(readyMs) }).catch(() => undefined))?.status === 200
  }

  async #waitUntilReady(): Promise<void> {
    for (const deadline = Date.now() + patienceMs; !(await this.#isReady()); await wait(50))
      if (!this.running() || Date.now() > deadline) throw new Error(`the server is not ready: ${this.log().slice(-2000)}`)
  }
}

function touchFile(file: string): void {
  writeFileSync(file, '')
  utimesSync(file, new Date(), new Date())
}

async function readUrl(directory: string, child: ChildProcess): Promise<string> {
  for (const deadline = Date.now() + patienceMs; ; await wait(20)) {
    const log = readFileSync(join(directory, 'log'), 'utf8')
    const url = /https:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0]
    if (url !== undefined) return url
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server did not start: ${log.slice(-2000)}`)
  }
}

/** Moves the results of an earlier soak out of the way. */
export function archiveDirectory(directory: string): void {
  if (!existsSync(directory)) return
  rmSync(`${directory}.old`, { recursive: true, force: true })
  renameSync(directory, `${directory}.old`)
}
