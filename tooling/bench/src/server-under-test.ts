import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinToCores } from './pinned.ts'
import { createSelfSigned } from './self-signed.ts'
import { probeFlags, connectProbe } from './server-probe.ts'
import type { ServerProbe } from './server-probe.ts'

/** A server that the benchmark measures. The benchmark may have started it, or it was running before. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly token: string
  /** Process id. Undefined if the server runs on another machine. Its processor time and memory are then not measured. */
  readonly pid: number | undefined
  /** Probe of the process. Only defined for servers that the benchmark started. */
  readonly probe?: ServerProbe
}

const token = 'benchtoken'
/** Token of a user that has no permissions by default. */
export const limitedToken = 'limitedtoken'
export const limitedUser = 'user-000'

/** A scratch directory that is removed at the end. */
export class Scratch implements Disposable {
  readonly path: string = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))

  file(name: string, content: string | Uint8Array): string {
    const file = path.join(this.path, name)
    writeFileSync(file, content)
    return file
  }

  /** Creates a subdirectory whose name starts with `name`. */
  directory(name: string): string {
    return mkdtempSync(path.join(this.path, `${name}-`))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export type Cores = 'one' | 'all'

export interface KeelsonOptions {
  /** Name of the side. Default: "keelson". */
  readonly name?: string
  /** Data directory of the store. Default: a new directory. */
  readonly dataDirectory?: string
  /** Store of the server. Default: embedded. */
  readonly store?: 'embedded' | 'memory' | { readonly etcd: string; readonly prefix: string }
  /** Whether to load the probe. False starts the program without it, to measure the process as users run it. */
  readonly probed?: boolean
  /**
   * Number of cores that the server may use. Default: 'one', so that client and server do not compete. Use 'all' if the client needs little
   * and the server uses several threads.
   */
  readonly cores?: Cores
  /** More flags of the server. */
  readonly flags?: readonly string[]
}

let servers = 0

/** Starts a Keelson server: the built program or the program of another revision. */
export function startKeelson(scratch: Scratch, program: string, options: KeelsonOptions = {}): Promise<ServerUnderTest> {
  const { name = 'keelson', store = 'embedded', probed = true, cores = 'one', flags = [] } = options
  const tokens = scratch.file('tokens.csv', `${token},bench,bench,"system:masters"\n${limitedToken},${limitedUser},${limitedUser}\n`)
  const data = options.dataDirectory ?? path.join(scratch.path, `data-${++servers}`)
  const storage =
    typeof store === 'string'
      ? [`--storage-backend=${store}`]
      : ['--storage-backend=etcd3', `--etcd-servers=${store.etcd}`, `--etcd-prefix=${store.prefix}`]
  return start(
    name,
    [
      program,
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      '--data-dir',
      data,
      '--token-auth-file',
      tokens,
      '--controllers=none',
      ...storage,
      ...flags,
    ],
    { probed, cores },
  )
}

export interface BareOptions {
  /** Body of every response. A proxy needs none. */
  readonly body?: Uint8Array
  readonly status?: number
  /**
   * Kind of bare server. Default: a Hono handler over HTTPS. `raw` is node:https alone. `http2` uses HTTP/2. `durable` parses a body,
   * writes it to disk and responds. `proxy` forwards requests to `target`.
   */
  readonly kind?: 'raw' | 'http2' | 'durable' | 'proxy'
  /** Path that gets the body. Other paths get a short one. Only for `raw` and `http2`. Default: every path. */
  readonly only?: string
  /** URL of the server to which a proxy forwards requests. */
  readonly target?: string
  readonly cores?: Cores
}

let bares = 0

export function startBare(scratch: Scratch, options: BareOptions): Promise<ServerUnderTest> {
  const { key, cert } = createSelfSigned()
  const number = ++bares
  const { kind, cores = 'one', body = Buffer.alloc(0), only, target = '' } = options
  const args = [
    fileURLToPath(import.meta.resolve('./bare.mjs')),
    '--key',
    scratch.file(`bare-${number}.key`, key),
    '--cert',
    scratch.file(`bare-${number}.crt`, cert),
    '--body',
    scratch.file(`bare-${number}.body`, body),
    '--status',
    String(options.status ?? 200),
    ...listKindFlags(),
    ...(only === undefined ? [] : ['--only', only]),
  ]
  return start('bare', args, { probed: true, cores })

  function listKindFlags(): readonly string[] {
    if (kind === 'durable') return ['--durable', path.join(scratch.path, `bare-${number}.data`)]
    if (kind === 'proxy') return ['--proxy', target]
    return kind === undefined ? [] : [`--${kind}`]
  }
}

/** Starts a server program. Resolves when the program prints a line with its URL. */
async function start(
  name: string,
  args: readonly string[],
  { probed, cores }: Required<Pick<KeelsonOptions, 'probed' | 'cores'>>,
): Promise<ServerUnderTest> {
  const allArgs = probed ? [...probeFlags, ...args] : args
  const command = cores === 'one' ? pinToCores('server', process.execPath, allArgs) : ([process.execPath, allArgs] as const)
  const child = spawn(...command, {
    stdio: ['ignore', 'pipe', 'pipe', ...(probed ? (['ipc'] as const) : [])],
  })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      printed += data.toString()
      const found = /https:\/\/[^\s"',]+/.exec(printed)
      if (found !== null && printed.includes('\n', found.index)) resolve(found[0].replace(/\/$/, ''))
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready:\n${printed}`)))
  })
  return { name, url, token, pid: child.pid, ...(probed && { probe: connectProbe(child) }), [Symbol.asyncDispose]: () => stop(child) }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
    child.on('exit', () => {
      clearTimeout(kill)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

export interface PlainAnswer {
  readonly status: number
  readonly body: Buffer
}

export interface AskOptions {
  readonly contentType?: string
  readonly accept?: string
  /** Accept-Encoding header. The response body is returned without decompression. */
  readonly acceptEncoding?: string
}

/** Sends one request that is not measured and returns the response. */
export function ask(
  server: ServerUnderTest,
  method: string,
  pathname: string,
  body?: unknown,
  { contentType = 'application/json', accept = 'application/json', acceptEncoding }: AskOptions = {},
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const request = httpsRequest(
      server.url + pathname,
      {
        method,
        rejectUnauthorized: false,
        agent: false,
        headers: {
          accept,
          ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
          authorization: `Bearer ${server.token}`,
          ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      },
    )
    request.on('error', reject)
    request.end(bytes)
  })
}
