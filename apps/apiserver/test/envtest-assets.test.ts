import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServerArguments } from '../src/envtest/apiserver-arguments.ts'

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let directory: string
let assets: string
const children: ChildProcess[] = []
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-envtest-'))
  assets = path.join(directory, 'the assets')
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(directory, { recursive: true })
})

async function run(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string; readonly code?: number }> {
  return promisify(execFile)(process.execPath, [entry, 'envtest-assets', ...args]).catch(
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function startEtcd(data: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const url = `http://127.0.0.1:${await findFreePort()}`
  const child = spawn(path.join(assets, 'etcd'), [`--data-dir=${data}`, '--listen-client-urls', url, '--unsafe-no-fsync=true'], {
    stdio: 'ignore',
  })
  children.push(child)
  await expect.poll(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status).toBe(200)
  return { url, child }
}

describe('keelson envtest-assets', () => {
  test('writes the programs, links kubectl, and prints the variable', async () => {
    const kubectl = path.join(directory, 'my-kubectl')
    await writeFile(kubectl, '')
    const { stdout } = await run(assets, `--kubectl=${kubectl}`)
    expect(stdout).toBe(`export KUBEBUILDER_ASSETS='${assets}'\n`)
    expect(await readlink(path.join(assets, 'kubectl'))).toBe(kubectl)
    for (const name of ['etcd', 'kube-apiserver']) expect((await stat(path.join(assets, name))).mode & 0o777).toBe(0o755)
    const { stdout: help } = await promisify(execFile)(path.join(assets, 'kube-apiserver'), ['--help'])
    expect(help).toContain('--service-cluster-ip-range')
    expect((await promisify(execFile)(path.join(assets, 'etcd'), ['--help'])).stdout).toContain('--unsafe-no-fsync')
  })

  test('runs no controllers that create objects in new namespaces, or those that are named', async () => {
    const readScript = (): Promise<string> => readFile(path.join(assets, 'kube-apiserver'), 'utf8')
    expect(await readScript()).toContain("'--controllers=*,-serviceaccount-controller,-root-ca-certificate-publisher-controller'")
    await run(assets, '--controllers=none')
    expect(await readScript()).toContain('envtest-apiserver --controllers=none "$@"')
  })

  test('can be repeated', async () => {
    const before = await readFile(path.join(assets, 'etcd'), 'utf8')
    expect((await run(assets)).stdout).toContain('KUBEBUILDER_ASSETS')
    expect(await readFile(path.join(assets, 'etcd'), 'utf8')).toBe(before)
  })

  test('needs one directory', async () => {
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('name one directory') })
    expect(await run('a', 'b')).toMatchObject({ code: 2, stderr: expect.stringContaining('name one directory') })
    expect(await run('a', '--kubectll=x')).toMatchObject({ code: 2, stderr: expect.stringContaining('--kubectl') })
  })
})

describe('the stand-in for etcd', () => {
  test('answers health checks, names its directory, and stops on SIGTERM', async () => {
    const { url, child } = await startEtcd(path.join(directory, 'data'))
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ health: 'true', reason: '' })
    expect((await fetch(`${url}/version`)).status).toBe(404)
    const stopped = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
    child.kill('SIGTERM')
    expect(await stopped).toBe(0)
  })

  test('ends when the process that started it was killed', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const script = `${JSON.stringify(path.join(assets, 'etcd'))} --listen-client-urls=${url} & wait`
    const parent = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', cwd: directory })
    children.push(parent)
    const readStatus = async (): Promise<number | undefined> => (await fetch(`${url}/health`).catch(() => undefined))?.status
    await expect.poll(readStatus).toBe(200)
    parent.kill('SIGKILL')
    await expect.poll(readStatus).toBe(undefined)
  })
})

describe('the command line of kube-apiserver', () => {
  const controllers = '--controllers=none'

  test('uses the directory of the stand-in as its store', async () => {
    const data = path.join(directory, 'store')
    const { url } = await startEtcd(data)
    const store = [`--data-dir=${path.join(data, 'keelson')}`, '--storage-backend=embedded', '--durability=memory']
    expect(await createServerArguments([controllers, `--etcd-servers=${url}`, '--secure-port=0'])).toEqual([
      controllers,
      '--secure-port=0',
      ...store,
    ])
    expect(await createServerArguments(['--secure-port', '0', '--etcd-servers', url, controllers])).toEqual([
      '--secure-port',
      '0',
      controllers,
      ...store,
    ])
  })

  test('uses a real etcd as it is', async () => {
    const argv = [controllers, `--etcd-servers=http://127.0.0.1:${await findFreePort()}`]
    expect(await createServerArguments(argv)).toEqual(argv)
    const secure = [controllers, '--etcd-servers=https://etcd.example.com:2379']
    expect(await createServerArguments(secure)).toEqual(secure)
  })

  test('uses the certificate in --cert-dir, and writes its own files elsewhere', async () => {
    const certificates = path.join(directory, 'certificates')
    await mkdir(certificates)
    const argv = [controllers, `--cert-dir=${certificates}`]
    expect(await createServerArguments(argv)).toEqual(argv)
    for (const name of ['apiserver.crt', 'apiserver.key']) await writeFile(path.join(certificates, name), '')
    expect(await createServerArguments(argv)).toEqual([
      controllers,
      `--cert-dir=${path.join(certificates, 'keelson')}`,
      `--tls-cert-file=${path.join(certificates, 'apiserver.crt')}`,
      `--tls-private-key-file=${path.join(certificates, 'apiserver.key')}`,
    ])
    expect(await createServerArguments([...argv, '--tls-cert-file=x'])).toEqual([...argv, '--tls-cert-file=x'])
  })
})
