import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { serverEntry } from './repository-root.ts'

export interface KeelsonProcess extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly kubeconfig: string
  readonly dataDir: string
  readonly pid: number
  /** Token of a user in system:masters. The token `alicetoken` belongs to a user without permissions. */
  readonly token: string
  readonly readyLine: string
  /** Stops the server with SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>
  /** Kills the server with SIGKILL and waits until it has exited. */
  kill(): Promise<void>
}

export interface KeelsonProcessOptions {
  readonly flags?: readonly string[]
  /** Data directory of the store. It is not removed at the end. By default, a new directory is used and removed at the end. */
  readonly dataDir?: string
  readonly controllers?: string
  readonly port?: number
  readonly environment?: Readonly<Record<string, string>>
  /** Path of the Node that runs the program. Default: the Node of this process. */
  readonly node?: string
}

const tokens = `admintoken,admin,admin,"system:masters"\nalicetoken,alice,alice-uid,"dev"\n`

/** Starts the built Keelson program and waits for its ready line. */
export async function startKeelsonProcess(options: KeelsonProcessOptions = {}): Promise<KeelsonProcess> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-e2e-'))
  const dataDir = options.dataDir ?? path.join(scratch, 'data')
  const tokenFile = path.join(scratch, 'tokens.csv')
  await writeFile(tokenFile, tokens)
  const child = spawn(
    options.node ?? process.execPath,
    [
      serverEntry,
      `--data-dir=${dataDir}`,
      `--secure-port=${options.port ?? 0}`,
      '--bind-address=127.0.0.1',
      `--token-auth-file=${tokenFile}`,
      '--service-cluster-ip-range=10.0.0.0/16',
      ...(options.controllers === undefined ? [] : [`--controllers=${options.controllers}`]),
      ...(options.flags ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.environment } },
  )
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const readyLine = await readFirstLine(child)
  const url = /https:\/\/[^\s,]+/.exec(readyLine)?.[0].replace(/\/$/, '')
  const kubeconfig = path.join(dataDir, 'admin.kubeconfig')
  if (url === undefined) throw new Error(`no URL in the ready line: ${readyLine}`)
  await readFile(kubeconfig)

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const code = await exited
    await rm(scratch, { recursive: true, force: true })
    return code
  }
  return {
    url,
    port: Number(new URL(url).port),
    kubeconfig,
    dataDir,
    pid: child.pid ?? 0,
    token: 'admintoken',
    readyLine,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  }
}

function readFirstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    let errors = ''
    const timer = setTimeout(() => fail('not ready within 20 s'), 20_000)
    const fail = (why: string): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`${why}\n${out}${errors}`))
    }
    child.stderr?.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-10_000)))
    child.stdout?.on('data', (data: Buffer) => {
      out += data.toString()
      const end = out.indexOf('\n')
      if (end < 0) return
      clearTimeout(timer)
      resolve(out.slice(0, end))
    })
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(`ended with ${code} before it was ready`))
  })
}
