import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { HttpsClient } from '../https-client.ts'
import { freePorts } from './etcd-process.ts'

export interface KubeApiserverProcess extends AsyncDisposable {
  readonly url: string
  /** Token of a user in system:masters. The token `alicetoken` belongs to a user without permissions. */
  readonly token: string
}

/** Starts kube-apiserver on an etcd and waits until it is ready. */
export async function startKubeApiserver(binary: string, etcdUrl: string, flags: readonly string[] = []): Promise<KubeApiserverProcess> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'kube-apiserver-'))
  const locateFile = (name: string): string => path.join(scratch, name)
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await writeFile(locateFile('accounts.key'), privateKey)
  await writeFile(locateFile('accounts.pub'), publicKey)
  await writeFile(locateFile('tokens.csv'), 'admintoken,admin,admin,"system:masters"\nalicetoken,alice,alice-uid,"dev"\n')
  const [port] = await freePorts(1)
  const url = `https://127.0.0.1:${port}`
  const child = spawn(
    binary,
    [
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${scratch}`,
      `--token-auth-file=${locateFile('tokens.csv')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${locateFile('accounts.key')}`,
      `--service-account-key-file=${locateFile('accounts.pub')}`,
      '--service-cluster-ip-range=10.0.0.0/16',
      '--authorization-mode=RBAC',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-5000)))
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    await rm(scratch, { recursive: true, force: true })
  }
  using client = new HttpsClient(url, 'admintoken')
  const until = Date.now() + 120_000
  while ((await client.request('GET', '/readyz').catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop()
      throw new Error(`kube-apiserver did not start\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return { url, token: 'admintoken', [Symbol.asyncDispose]: stop }
}
