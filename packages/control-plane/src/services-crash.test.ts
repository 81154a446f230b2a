import type { Service } from '@keelson/api/core/v1'
import type { IPAddress } from '@keelson/api/networking/v1'
import { createManualClock } from '@keelson/apimachinery/testing'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

let dataDir: string
let child: ChildProcess | undefined
beforeEach(async () => void (dataDir = await mkdtemp(path.join(tmpdir(), 'keelson-crash-'))))
afterEach(async () => {
  child?.kill('SIGKILL')
  await rm(dataDir, { recursive: true })
})

// The range has 62 addresses, of which the kubernetes service uses one, and 61 ports.
const createOptions = (): ServerChainOptions => ({
  storage: { type: 'embedded', dataDir },
  serving: { certificates: { directory: path.join(dataDir, 'certs') } },
  controllers: ['none'],
  services: { clusterIpRange: '10.0.0.0/26', nodePortRange: '30000-30060' },
})

interface Answer {
  readonly status: number
  readonly body: { readonly message?: string; readonly spec?: Service['spec'] }
}
type Call = (method: string, name: string) => Promise<Answer>

/** Starts a server in a separate process that the test can kill. Returns a client of the server. */
async function startChild(): Promise<Call> {
  const fixture = path.join(import.meta.dirname, 'services-crash.fixture.ts')
  child = spawn(process.execPath, [fixture, JSON.stringify(createOptions())], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const { url, token } = JSON.parse(line.toString()) as { url: string; token: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false })
  return async (method, name) => {
    const target = `${url}/api/v1/namespaces/default/services${method === 'POST' ? '' : `/${name}`}`
    const clientRequest = httpsRequest(target, {
      method,
      agent,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    const responded = once(clientRequest, 'response')
    clientRequest.end(
      method === 'POST' ? JSON.stringify({ metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }) : undefined,
    )
    const [response] = (await responded) as [IncomingMessage]
    let text = ''
    for await (const chunk of response) text += String(chunk)
    return { status: response.statusCode!, body: JSON.parse(text) as Answer['body'] }
  }
}

const createNames = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

test('allocates each of the last 50 values once to 64 concurrent requests', async () => {
  const call = await startChild()
  await Promise.all(createNames('early', 11).map((name) => call('POST', name)))
  const answers = await Promise.all(createNames('s', 64).map((name) => call('POST', name)))
  const specs = answers.filter(({ status }) => status === 201).map(({ body }) => body.spec!)
  expect(specs).toHaveLength(50)
  expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(50)
  expect(new Set(specs.map(({ ports }) => ports?.[0]?.nodePort)).size).toBe(50)
  for (const { status, body } of answers) {
    if (status === 201) continue
    expect(status).toBe(500)
    expect(body.message).toMatch(/^Internal error occurred: failed to allocate a (nodePort|serviceIP for Service "s\d+"): range is full$/)
  }
}, 30_000)

test('releases all leaked addresses and ports after a server was killed', async () => {
  const call = await startChild()
  const ended = once(child!, 'exit')
  let killed = false
  const working = createNames('s', 64).map(async (name) => {
    while (!killed) for (const method of ['POST', 'DELETE']) await call(method, name).catch(() => {})
  })
  await Promise.all(createNames('x', 20).map((name) => call('POST', name).then(() => call('DELETE', name))))
  child!.kill('SIGKILL')
  killed = true
  await Promise.all([ended, ...working])

  const clock = createManualClock(Date.now())
  await using chain = await createServerChain({ ...createOptions(), clock, log: () => {} })
  await chain.listen()
  await chain.ready
  const services = chain.client.resource<Service>({ group: '', resource: 'services' })!
  const addresses = chain.client.resource<IPAddress>({ group: 'networking.k8s.io', resource: 'ipaddresses' })!
  const list = async (): Promise<readonly string[]> =>
    (await services.list({ resourceVersion: '' })).items.map(({ spec }) => spec?.clusterIP ?? '').toSorted()
  // Passes the grace period, after which an address that belongs to no service is released. The period starts when the leak is detected.
  const passGrace = async (): Promise<readonly string[]> => {
    await clock.pass(61_000)
    return (await addresses.list({ resourceVersion: '' })).items.map(({ metadata }) => metadata.name ?? '').toSorted()
  }
  await expect.poll(passGrace).toEqual(await list())
  // Leaked ports are released in the third run of the repair loop.
  await clock.pass(3 * 180_000)
  // All 61 addresses and 61 ports can be allocated again.
  const freeValues = 62 - (await list()).length
  const createService = (name: string): Promise<unknown> =>
    services.create('default', { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } })
  for (const name of createNames('late', freeValues)) await createService(name)
  await expect(createService('one-too-many')).rejects.toThrow('range is full')
}, 30_000)
