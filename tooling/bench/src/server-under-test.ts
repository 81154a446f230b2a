import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinned } from './pinned.ts'
import { selfSigned } from './self-signed.ts'

/** A server that is measured, started by us or not. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly token: string
  /** Undefined when it runs elsewhere: then its processor time and memory are not known. */
  readonly pid: number | undefined
}

const token = 'benchtoken'

/** A scratch directory that goes away at the end. */
export class Scratch implements Disposable {
  readonly path: string = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))

  file(name: string, content: string | Uint8Array): string {
    const file = path.join(this.path, name)
    writeFileSync(file, content)
    return file
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export interface KeelsonOptions {
  /** Default: a fresh one. */
  readonly dataDirectory?: string
  /** Flags of node's, before the program. */
  readonly nodeFlags?: readonly string[]
}

/** Our own, as it is installed. */
export function startKeelson(scratch: Scratch, program: string, options: KeelsonOptions = {}): Promise<ServerUnderTest> {
  const tokens = scratch.file('tokens.csv', `${token},bench,bench,"system:masters"\n`)
  const data = options.dataDirectory ?? path.join(scratch.path, 'data')
  return start('keelson', [
    ...(options.nodeFlags ?? []),
    program,
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--data-dir',
    data,
    '--token-auth-file',
    tokens,
    '--controllers=none',
  ])
}

export interface BareOptions {
  readonly body: Uint8Array
  readonly status?: number
  /** node:https alone, without Hono. */
  readonly raw?: boolean
}

let bares = 0

export function startBare(scratch: Scratch, options: BareOptions): Promise<ServerUnderTest> {
  const { key, cert } = selfSigned()
  const number = ++bares
  return start(options.raw === true ? 'raw' : 'bare', [
    fileURLToPath(import.meta.resolve('./bare.mjs')),
    '--key',
    scratch.file(`bare-${number}.key`, key),
    '--cert',
    scratch.file(`bare-${number}.crt`, cert),
    '--body',
    scratch.file(`bare-${number}.body`, options.body),
    '--status',
    String(options.status ?? 200),
    ...(options.raw === true ? ['--raw'] : []),
  ])
}

/** Ready when it prints a line with its URL. */
async function start(name: string, args: readonly string[]): Promise<ServerUnderTest> {
  const child = spawn(...pinned('server', process.execPath, args), { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer): void => {
      printed += data.toString()
      const found = /https:\/\/[^\s"',]+/.exec(printed)
      if (found !== null && printed.includes('\n', found.index)) resolve(found[0].replace(/\/$/, ''))
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready:\n${printed}`)))
  })
  return { name, url, token, pid: child.pid, [Symbol.asyncDispose]: () => stop(child) }
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

/** One request, for preparing. */
export function ask(
  server: ServerUnderTest,
  method: string,
  pathname: string,
  body?: unknown,
  { contentType = 'application/json', accept = 'application/json' }: { readonly contentType?: string; readonly accept?: string } = {},
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
