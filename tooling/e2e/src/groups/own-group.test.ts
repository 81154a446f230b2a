import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { builtinGroups, createServerChain } from '@keelson/control-plane'
import type { ServerChain, ServerChainOptions } from '@keelson/control-plane'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Kubectl } from '../kubectl/kubectl.ts'
import { Session } from '../kubectl/session.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { typedGroup, untypedGroup } from './widgets.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const widgetsPath = '/apis/widgets.example.com/v1/namespaces/default/widgets'
const json = { 'content-type': 'application/json' }

let chain: ServerChain
let directory: string
beforeEach(async () => void (directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-groups-'))))
afterEach(async () => {
  await chain.close()
  await rm(directory, { recursive: true })
})

async function start(options: ServerChainOptions): Promise<void> {
  chain = await createServerChain({ controllers: ['none'], log: () => {}, ...options })
  await chain.start()
}

async function request(target: string, init: Parameters<ServerChain['fetch']>[1] = {}): Promise<{ status: number; text: string }> {
  const answer = await chain.fetch(target, { user: admin, ...init })
  return { status: answer.status, text: await answer.text() }
}

function create(name: string, spec: object): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ apiVersion: 'widgets.example.com/v1', kind: 'Widget', metadata: { name }, spec })
  return request(widgetsPath, { method: 'POST', headers: json, body })
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const binary = findKubectl()
const variants = [
  ['typed, alone', [typedGroup]],
  ['untyped, alone', [untypedGroup]],
  ['typed, with the built-in groups', [...builtinGroups, typedGroup]],
  ['untyped, with the built-in groups', [...builtinGroups, untypedGroup]],
] as const

const manifest = `
apiVersion: widgets.example.com/v1
kind: Widget
metadata:
  name: a
spec:
  size: 3
  color: red
`

describe.skipIf(binary === undefined)('kubectl with an API group of an embedding application', { timeout: 90_000 }, () => {
  test.each(variants)('works with %s', async (_name, groups) => {
    await start({ groups })
    await chain.listen()
    await chain.ready
    const kubeconfig = path.join(directory, 'kubeconfig')
    await writeFile(kubeconfig, chain.kubeconfig)
    const kubectl = new Kubectl(binary!, { kubeconfig }, path.join(directory, 'cache'))
    const session = new Session(kubectl, 'default', directory)
    await session.play(
      ['apply -f -', 'widget.widgets.example.com/a created\n', manifest],
      ['apply -f -', 'widget.widgets.example.com/a unchanged\n', manifest],
      ['get widgets', /^NAME +SIZE +PHASE +AGE\na +3 +<none> +\d+s\n$/],
      ['get wd a -o jsonpath={.spec}', /"color":"red"/],
      ['get widgets --field-selector spec.color=blue -o name', ''],
      ['scale widget a --replicas 4', 'widget.widgets.example.com/a scaled\n'],
      ['get widget a -o jsonpath={.spec.replicas}', '4'],
      ['patch widget a --subresource status --type merge -p {"status":{"phase":"Ready"},"spec":{"size":9}}', /patched/],
      ['get widgets --no-headers', /^a +3 +Ready +\d+s\n$/],
      ['apply --server-side --field-manager other -f -', /serverside-applied/, manifest.replace('color: red\n', '')],
      ['describe widget a', /Name: +a\n[\s\S]*Size: +3\n/],
      ['explain widgets', /KIND: +Widget/],
      ['delete widget a', /^widget.widgets.example.com "a" deleted/],
      ['get widgets', { stdout: '', stderr: 'No resources found in default namespace.\n' }],
    )
    const refused = await kubectl.try(['create', '-f', '-'], { input: manifest.replace('size: 3', 'size: 0') })
    expect(refused.stderr).toContain('spec.size: Invalid value: 0: must be greater than 0')
  })
})

describe('a kind without a schema', () => {
  const protobuf = 'application/vnd.kubernetes.protobuf'

  test('keeps every member and has no protobuf encoding', async () => {
    await start({ groups: [untypedGroup] })
    const { status, text } = await create('a', { size: 1, nested: { list: [1, { b: null }], 'a-b': true } })
    expect(status).toBe(201)
    expect(JSON.parse(text)).toMatchObject({ spec: { nested: { list: [1, { b: null }], 'a-b': true }, replicas: 1, size: 1 } })
    const requestAccepting = (accept: string): Promise<{ status: number; text: string }> =>
      request(`${widgetsPath}/a`, { headers: { accept } })
    const refused = await requestAccepting(protobuf)
    expect(refused.status).toBe(406)
    expect(refused.text).toContain(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    )
    expect((await requestAccepting(`application/json, ${protobuf}`)).status).toBe(200)
    expect((await requestAccepting(`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`)).status).toBe(200)
    expect((await request(`${widgetsPath}?watch=1`, { headers: { accept: `${protobuf};stream=watch` } })).status).toBe(406)
    expect((await request(widgetsPath, { method: 'POST', headers: { 'content-type': protobuf }, body: 'k8s\0x' })).status).toBe(400)
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
    expect((await request(`${widgetsPath}/a`, { method: 'PATCH', headers: strategic, body: '{}' })).status).toBe(415)
  })

  test('tracks managed fields', async () => {
    await start({ groups: [untypedGroup] })
    const apply = (manager: string, spec: object): Promise<{ status: number; text: string }> =>
      request(`${widgetsPath}/a?fieldManager=${manager}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify({ apiVersion: 'widgets.example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec }),
      })
    expect((await apply('one', { size: 1, own: { x: 1 } })).status).toBe(201)
    expect(JSON.parse((await apply('two', { own: { y: 2 } })).text)).toMatchObject({ spec: { own: { x: 1, y: 2 } } })
    expect((await apply('two', { own: { x: 3 } })).status).toBe(409)
    const { spec } = JSON.parse((await apply('one', { size: 1 })).text) as { spec: object }
    expect(spec).toEqual({ own: { y: 2 }, replicas: 1, size: 1 })
  })
})

test('a group that is installed and removed 1,000 times under load leaves nothing behind', { timeout: 60_000 }, async () => {
  await start({ groups: builtinGroups })
  const load = startLoad()
  try {
    await installAndRemove(100)
    const before = await readTraces()
    await installAndRemove(900)
    const after = await readTraces()
    expect(after.pages).toEqual(before.pages)
    expect(after.pages['/apis']).not.toContain('example.com')
    // Some growth is allowed, because metrics of earlier requests remain and a request can have a new status code.
    expect(after.metrics - before.metrics).toBeLessThan(100)
    expect((await request('/metrics')).text).not.toMatch(/^(apiserver_storage_objects|watch_cache_capacity)\{.*widgets/m)
    // An installed group needs more than 50 kB, so this limit detects groups that are not removed.
    expect(after.heap - before.heap).toBeLessThan(8 * 2 ** 20)
  } finally {
    expect(await load.stop()).toBeGreaterThan(100)
  }
})

/** Installs and removes the group repeatedly. Opens a watch each time, which must end. Sometimes creates an object. */
async function installAndRemove(times: number): Promise<void> {
  const watches: Promise<unknown>[] = []
  for (let i = 0; i < times; i++) {
    await using _installed = chain.install(i % 2 === 0 ? typedGroup : untypedGroup)
    watches.push(request(`${widgetsPath}?watch=1&resourceVersion=0`))
    if (i % 25 === 0) expect((await create(`w${i}`, { size: 1 })).status).toBeOneOf([201, 409])
  }
  await Promise.all(watches)
}

/** Returns the paths, metrics and memory that a removed group could leave behind. */
async function readTraces(): Promise<{ pages: Record<string, string>; metrics: number; heap: number }> {
  const pages: Record<string, string> = {}
  // The APIServices of a group are created and deleted shortly after the group is installed and removed.
  await expect.poll(async () => (await request('/apis')).text).not.toContain('example.com')
  for (const page of ['/', '/readyz?verbose', '/apis', '/openapi/v3']) pages[page] = (await request(page)).text
  const metrics = (await request('/metrics')).text.split('\n').length
  collectGarbage()
  return { pages, metrics, heap: process.memoryUsage().heapUsed }
}

/** Lists the group's objects and built-in objects until it is stopped. */
function startLoad(): { stop(): Promise<number> } {
  let isOn = true
  let requests = 0
  const run = async (): Promise<void> => {
    for (; isOn; requests += 2) {
      expect((await request(widgetsPath)).status).toBeOneOf([200, 404, 429])
      expect((await request('/api/v1/namespaces?limit=1')).status).toBe(200)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const running = Promise.all([run(), run()])
  return {
    async stop() {
      isOn = false
      await running
      return requests
    },
  }
}
