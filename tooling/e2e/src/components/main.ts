// main.ts --bin DIR [--minutes 5] [--kube-apiserver]: runs kube-controller-manager, kube-scheduler and two hollow kubelets (kubemark) of DIR, each with
// a separate identity, with Node,RBAC authorization and NodeRestriction. Repeats a workload until the time is over, and prints every refusal in the logs.
// --kube-apiserver uses the kube-apiserver of DIR as the server, to compare the refusals.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import { freePorts, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { createClientAuthority, writeClientKubeconfig } from './client-certificates.ts'
import type { ClientAuthority } from './client-certificates.ts'
import { createWorkloadSteps } from './workload.ts'

const printText = (text: string): void => void process.stdout.write(`${text}\n`)
const { values } = parseArgs({
  options: { bin: { type: 'string' }, minutes: { type: 'string', default: '5' }, 'kube-apiserver': { type: 'boolean', default: false } },
})
const openssl = findOpenssl()
if (values.bin === undefined || openssl === undefined)
  throw new Error('--bin must be the directory of the programs, and openssl must be installed')
process.exitCode = await run({
  bin: path.resolve(values.bin),
  minutes: Number(values.minutes),
  isReference: values['kube-apiserver'],
  openssl,
})

interface RunOptions {
  readonly bin: string
  readonly minutes: number
  readonly isReference: boolean
  readonly openssl: string
}

interface RunningServer {
  readonly url: string
  readonly token: string
  stop(): Promise<unknown>
}

async function run({ bin, minutes, isReference, openssl: program }: RunOptions): Promise<number> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-components-'))
  const authority = createClientAuthority(program, scratch)
  const server = isReference ? await startReference(bin, authority) : await startKeelson(authority)
  const children: ChildProcess[] = []
  try {
    const start = (name: string, args: readonly string[]): void =>
      void children.push(spawnLogged(path.join(bin, name.split(' ')[0]!), args, readLog(scratch, name)))
    const names = await startComponents(server, authority, { start, openssl: program })
    const failure = await runWorkload(server, minutes)
    await wait(1000)
    const died = children.filter(({ exitCode }) => exitCode !== null)
    if (died.length > 0) printText(`${died.length} components ended: ${died.map(({ spawnfile }) => path.basename(spawnfile)).join(', ')}`)
    if (failure !== undefined) printText(failure)
    printRefusals(names.map((name) => [name, readFileSync(readLog(scratch, name), 'utf8')]))
    return failure === undefined && died.length === 0 ? 0 : 1
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await server.stop()
    if (process.env['KEEP_LOGS'] === undefined) rmSync(scratch, { recursive: true, force: true })
    else printText(`logs: ${scratch}`)
  }
}

function readLog(directory: string, name: string): string {
  return path.join(directory, `${name.replaceAll(' ', '-')}.log`)
}

function spawnLogged(program: string, args: readonly string[], log: string): ChildProcess {
  const output = openSync(log, 'w')
  const child = spawn(program, args, { stdio: ['ignore', output, output] })
  closeSync(output)
  return child
}

function listAuthorityFlags({ certificate, directory }: ClientAuthority): readonly string[] {
  return [
    `--client-ca-file=${certificate}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${path.join(directory, 'accounts.key')}`,
    `--service-account-key-file=${path.join(directory, 'accounts.pub')}`,
  ]
}

function startKeelson(authority: ClientAuthority): Promise<RunningServer> {
  return startKeelsonProcess({ controllers: 'none', flags: listAuthorityFlags(authority) })
}

async function startReference(bin: string, authority: ClientAuthority): Promise<RunningServer> {
  const etcdProgram = findEtcd()
  if (etcdProgram === undefined) throw new Error('etcd is not installed')
  const etcd = await startEtcd(etcdProgram)
  const [port] = await freePorts(1)
  const tokens = path.join(authority.directory, 'tokens.csv')
  writeFileSync(tokens, 'admintoken,admin,admin,"system:masters"\n')
  const flags = [
    ...listAuthorityFlags(authority),
    `--etcd-servers=${etcd.url}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${authority.directory}`,
    `--token-auth-file=${tokens}`,
    '--service-cluster-ip-range=10.0.0.0/16',
  ]
  const child = spawnLogged(path.join(bin, 'kube-apiserver'), flags, readLog(authority.directory, 'kube-apiserver'))
  const server = {
    url: `https://127.0.0.1:${port}`,
    token: 'admintoken',
    async stop() {
      child.kill('SIGKILL')
      await etcd[Symbol.asyncDispose]()
    },
  }
  const client = new HttpsClient(server.url, server.token)
  for (let attempt = 0; attempt < 120; attempt++) {
    const answer = await client.request('GET', '/readyz').catch(() => undefined)
    if (answer?.status === 200) return server
    await wait(500)
  }
  await server.stop()
  throw new Error('kube-apiserver did not become ready')
}

interface ComponentOptions {
  readonly start: (name: string, args: readonly string[]) => void
  readonly openssl: string
}

/** Starts the controller manager, the scheduler and the kubelets. Returns their names. */
async function startComponents(
  server: RunningServer,
  authority: ClientAuthority,
  { start, openssl: program }: ComponentOptions,
): Promise<readonly string[]> {
  const writeKubeconfig = (user: string, group?: string): string =>
    writeClientKubeconfig(program, authority, { user, server: server.url, ...(group !== undefined && { group }) })
  const ports = await freePorts(4)
  start('kube-controller-manager', [
    `--kubeconfig=${writeKubeconfig('system:kube-controller-manager')}`,
    '--use-service-account-credentials',
    `--service-account-private-key-file=${path.join(authority.directory, 'accounts.key')}`,
    `--root-ca-file=${authority.certificate}`,
    `--cluster-signing-cert-file=${authority.certificate}`,
    `--cluster-signing-key-file=${authority.key}`,
    '--secure-port=0',
    '--v=2',
  ])
  start('kube-scheduler', [`--kubeconfig=${writeKubeconfig('system:kube-scheduler')}`, '--secure-port=0', '--v=2'])
  const nodes = ['n1', 'n2']
  for (const [i, name] of nodes.entries()) {
    start(`kubemark ${name}`, [
      '--morph=kubelet',
      `--name=${name}`,
      `--kubeconfig=${writeKubeconfig(`system:node:${name}`, 'system:nodes')}`,
      `--kubelet-port=${ports[2 * i]}`,
      `--kubelet-read-only-port=${ports[2 * i + 1]}`,
      '--use-host-image-service=false',
      `--cert-dir=${authority.directory}`,
      '--v=2',
    ])
  }
  return ['kube-controller-manager', 'kube-scheduler', ...nodes.map((name) => `kubemark ${name}`)]
}

/** Repeats the workload until the time is over. Returns a description of the first failure. */
async function runWorkload(server: RunningServer, minutes: number): Promise<string | undefined> {
  const began = Date.now()
  const formatSeconds = (): string => ((Date.now() - began) / 1000).toFixed(0)
  for (let round = 1; round === 1 || Date.now() - began < minutes * 60_000; round++) {
    for (const [title, step] of createWorkloadSteps(server)) {
      try {
        await step()
      } catch (error) {
        return `${formatSeconds()} s: FAILED: ${title}: ${(error as Error).message}`
      }
      if (round === 1) printText(`${formatSeconds()} s: ${title}`)
    }
  }
  printText(`${formatSeconds()} s: the workload ran repeatedly without a failure`)
  return undefined
}

/** Prints the different refusals in the log of each component. Replaces random names, so that each refusal is printed once. */
function printRefusals(logs: readonly (readonly [name: string, log: string])[]): void {
  const counts = new Map<string, number>()
  for (const [name, log] of logs) {
    for (const line of log.split('\n')) {
      const refusal = /(?:is |error: )?forbidden: .*/i.exec(line)?.[0] ?? /\bUnauthorized\b.*/.exec(line)?.[0]
      if (refusal === undefined) continue
      const key = `${name}: ${refusal.replaceAll(/[0-9a-f]{8,10}-[a-z0-9]{5}\b|[0-9a-f-]{36}/g, '…')}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  printText(`${counts.size} different refusals in the logs`)
  for (const [text, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b))) printText(`  ${count} × ${text.slice(0, 400)}`)
}
