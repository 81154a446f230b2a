import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const children = new Set<ChildProcess>()
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-encryption-'))
  await writeFile(path.join(directory, 'tokens.csv'), 'admintoken,admin,admin,"system:masters"\n')
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

interface Running {
  call(
    method: string,
    at: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, never> & { data?: Record<string, string> } }>
  stop(): Promise<void>
}

async function start(...flags: string[]): Promise<Running> {
  const args = [
    '--data-dir=data',
    '--secure-port=0',
    '--bind-address=127.0.0.1',
    '--token-auth-file=tokens.csv',
    '--controllers=none',
    ...flags,
  ]
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd: directory })
  children.add(child)
  let output = ''
  let errors = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const exited = once(child, 'close')
  await Promise.race([
    expect.poll(() => output, { interval: 20 }).toContain('keelson is ready at'),
    exited.then(() => {
      throw new Error(errors)
    }),
  ])
  const url = /https:\S+/.exec(output)![0]
  return {
    async call(method, at, body) {
      const clientRequest = request(url + at, {
        method,
        rejectUnauthorized: false,
        agent: false,
        headers: { authorization: 'Bearer admintoken', 'content-type': 'application/json' },
      })
      clientRequest.end(body === undefined ? undefined : JSON.stringify(body))
      const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of answer) text += String(chunk)
      return { status: answer.statusCode!, body: JSON.parse(text) as never }
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      children.delete(child)
    },
  }
}

async function configure(...providers: string[]): Promise<string> {
  const lines = providers.map((provider) => `  - ${provider}\n`).join('')
  const text = `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n${lines}`
  await writeFile(path.join(directory, 'encryption.yaml'), text)
  return '--encryption-provider-config=encryption.yaml'
}
const formatKey = (provider: string, digit: number): string =>
  `${provider}: {keys: [{name: key${digit}, secret: ${Buffer.alloc(32, digit).toString('base64')}}]}`

/** Returns all bytes of the store on disk, including pages that are no longer used. */
async function onDisk(): Promise<Buffer> {
  const files = await readdir(path.join(directory, 'data'), { recursive: true, withFileTypes: true })
  const stored = files.filter((file) => file.isFile() && !file.parentPath.includes('certs') && file.name !== 'admin.kubeconfig')
  return Buffer.concat(await Promise.all(stored.map((file) => readFile(path.join(file.parentPath, file.name)))))
}

const secrets = '/api/v1/namespaces/default/secrets'
const marker = Buffer.from('plain-text-of-the-secret').toString('base64')

test('encrypts secrets on disk, reads them after a restart and a key rotation, and encrypts them again on update', async () => {
  const first = await start(await configure(formatKey('aescbc', 1)))
  expect(
    (await first.call('POST', secrets, { metadata: { name: 'a', labels: { mark: 'label-of-the-secret' } }, data: { a: marker } })).status,
  ).toBe(201)
  expect(
    (await first.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { a: 'text-of-the-map' } })).status,
  ).toBe(201)
  expect((await first.call('GET', `${secrets}/a`)).body.data).toEqual({ a: marker })
  await first.stop()
  let disk = await onDisk()
  expect(disk.includes('text-of-the-map')).toBe(true)
  expect(disk.includes('k8s:enc:aescbc:v1:key1:')).toBe(true)
  for (const plain of [marker, 'label-of-the-secret']) expect(disk.includes(plain)).toBe(false)

  const rotating = await start(await configure(formatKey('secretbox', 2), formatKey('aescbc', 1)))
  const { body: old } = await rotating.call('GET', `${secrets}/a`)
  expect(old.data).toEqual({ a: marker })
  const { status, body: replaced } = await rotating.call('PUT', `${secrets}/a`, old)
  expect(status).toBe(200)
  expect(replaced.data).toEqual({ a: marker })
  const { body: rewritten } = await rotating.call('PUT', `${secrets}/a`, replaced)
  const readVersion = (object: object): string => (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion
  expect(readVersion(replaced)).not.toBe(readVersion(old))
  expect(readVersion(rewritten)).toBe(readVersion(replaced))
  await rotating.stop()
  disk = await onDisk()
  expect(disk.includes('k8s:enc:secretbox:v1:key2:')).toBe(true)
  expect(disk.includes(marker)).toBe(false)

  const rotated = await start(await configure(formatKey('secretbox', 2)))
  const { body: list } = (await rotated.call('GET', secrets)) as unknown as { body: { items: { data: object }[] } }
  expect(list.items.map(({ data }) => data)).toEqual([{ a: marker }])
  await rotated.stop()
})

test('an invalid configuration fails the start with an error that names its path', async () => {
  const flag = await configure('aescbc: {keys: [{name: a, secret: YWJj}]}')
  await expect(start(flag, '--storage-backend=memory')).rejects.toThrow(
    'keelson: resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3',
  )
  await expect(start('--encryption-provider-config=nowhere.yaml', '--storage-backend=memory')).rejects.toThrow('no such file')
  await expect(start('--encryption-provider-config-automatic-reload', '--storage-backend=memory')).rejects.toThrow('must be set with')
})
