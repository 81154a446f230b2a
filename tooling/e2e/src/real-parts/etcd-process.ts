import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'

export interface EtcdProcess extends AsyncDisposable {
  /** URL of the server, for example "http://127.0.0.1:PORT". A restart does not change it. */
  readonly url: string
  readonly port: number
  /** Kills etcd with SIGKILL and waits until it has exited. */
  kill(): Promise<void>
  /** Stops etcd with SIGTERM and waits until it has exited. */
  stop(): Promise<void>
  /** Starts etcd again with the same data and port. Resolves when etcd accepts requests. */
  start(): Promise<void>
  /** Suspends the process. It then no longer responds, but its connections stay open. */
  pause(): void
  resume(): void
}

export interface EtcdProcessOptions {
  /** Paths of PEM files. If set, clients must present a certificate of the authority. */
  readonly tls?: { readonly authority: string; readonly certificate: string; readonly key: string }
  readonly flags?: readonly string[]
  /** Makes the process a member of a cluster. A member accepts requests only after a majority has started. */
  readonly member?: { readonly name: string; readonly peerPort: number; readonly cluster: string }
}

/**
 * Starts etcd in a temporary directory. The heartbeat interval is short, so that etcd elects itself immediately and leases of one second
 * are possible.
 */
export async function startEtcd(binary: string, options: EtcdProcessOptions = {}): Promise<EtcdProcess> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-etcd-'))
  const [port, ownPeerPort, metricsPort] = (await freePorts(3)) as [number, number, number]
  const { tls, member } = options
  const peerPort = member?.peerPort ?? ownPeerPort
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const metrics = `http://127.0.0.1:${metricsPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  let child: ChildProcess | undefined
  let exited: Promise<void> = Promise.resolve()

  async function start(): Promise<void> {
    let output = ''
    const started = spawn(
      binary,
      [
        `--data-dir=${path.join(scratch, 'data')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--name=${member?.name ?? 'default'}`,
        `--initial-cluster=${member?.cluster ?? `default=${peer}`}`,
        `--listen-metrics-urls=${metrics}`,
        ...(tls
          ? [`--cert-file=${tls.certificate}`, `--key-file=${tls.key}`, `--trusted-ca-file=${tls.authority}`, '--client-cert-auth']
          : []),
        '--heartbeat-interval=10',
        '--election-timeout=100',
        '--unsafe-no-fsync',
        '--log-level=error',
        ...(options.flags ?? []),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    child = started
    started.stderr.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-5000)))
    exited = new Promise((resolve) => {
      started.once('exit', () => resolve())
      started.once('error', () => resolve())
    })
    const until = Date.now() + 20_000
    while (!(await isHealthy(metrics))) {
      if (started.exitCode !== null || Date.now() > until) throw new Error(`etcd did not start\n${output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    child?.kill(signal)
    await exited
  }
  const kill = (): Promise<void> => end('SIGKILL')

  await start()
  return {
    url,
    port,
    start,
    kill,
    stop: () => end('SIGTERM'),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1000) })
    return ((await answer.json()) as { health?: string }).health === 'true'
  } catch {
    return false
  }
}

/** Finds free TCP ports, because etcd cannot choose a port and report it. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject)
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
