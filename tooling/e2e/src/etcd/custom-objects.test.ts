import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answer, HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd, findEtcdctl } from '../real-parts/find-etcd.ts'
import { findKubeApiserver } from '../real-parts/find-kube-apiserver.ts'
import { type KubeApiserverProcess, startKubeApiserver } from '../real-parts/kube-apiserver-process.ts'
import { Etcdctl } from './etcdctl.ts'

const etcdBinary = findEtcd()
const etcdctlBinary = findEtcdctl()
const kubeApiserver = findKubeApiserver()
const isMissing = etcdBinary === undefined || etcdctlBinary === undefined || kubeApiserver === undefined

interface Server {
  readonly name: string
  readonly client: HttpsClient
}

interface CustomObject {
  readonly apiVersion: string
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly managedFields?: readonly object[] }
  readonly spec?: object
  readonly status?: object
}

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const mergePatch = { 'content-type': 'application/merge-patch+json' }
const applyPatch = { 'content-type': 'application/apply-patch+yaml' }

/** A definition with two versions, defaults, a rule, a status and a scale. */
function createDefinition(plural: string, kind: string): object {
  const spec = {
    type: 'object',
    properties: {
      size: { type: 'integer', default: 3, 'x-kubernetes-validations': [{ rule: 'self < 100', message: 'too large' }] },
      replicas: { type: 'integer' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      ports: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port'],
        items: { type: 'object', required: ['port'], properties: { port: { type: 'integer' }, name: { type: 'string' } } },
      },
    },
  }
  const status = { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } }
  const version = {
    served: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
    selectableFields: [{ jsonPath: '.spec.size' }],
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      names: { plural, kind },
      scope: 'Namespaced',
      versions: [
        { ...version, name: 'v1', storage: true },
        { ...version, name: 'v1beta1', storage: false },
      ],
    },
  }
}

describe.skipIf(isMissing)('kube-apiserver and Keelson on one etcd', { timeout: 120_000 }, () => {
  let etcd: EtcdProcess
  let reference: KubeApiserverProcess
  let keelson: KeelsonProcess
  let etcdctl: Etcdctl
  let servers: readonly [Server, Server]

  beforeAll(async () => {
    etcd = await startEtcd(etcdBinary ?? '')
    etcdctl = new Etcdctl(etcdctlBinary ?? '', etcd.url)
    reference = await startKubeApiserver(kubeApiserver ?? '', etcd.url)
    keelson = await startKeelsonProcess({ flags: [`--etcd-servers=${etcd.url}`], controllers: 'none' })
    servers = [
      { name: 'kube-apiserver', client: new HttpsClient(reference.url, reference.token) },
      { name: 'keelson', client: new HttpsClient(keelson.url, keelson.token) },
    ]
  }, 180_000)
  afterAll(async () => {
    for (const { client } of servers) client[Symbol.dispose]()
    await keelson[Symbol.asyncDispose]()
    await reference[Symbol.asyncDispose]()
    await etcd[Symbol.asyncDispose]()
  })

  async function send(server: Server, method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await server.client.request(method, path, { ...(body !== undefined && { body }), headers })
    if (answer.status >= 400) throw new Error(`${server.name}: ${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  const waitUntilServed = (server: Server, path: string): Promise<unknown> =>
    vi.waitFor(() => send(server, 'GET', path), { timeout: 30_000, interval: 50 })

  /** Reads an object from both servers, and expects the same. */
  async function expectSame(path: string): Promise<CustomObject> {
    const [first, second] = await Promise.all(servers.map(async (server) => (await send(server, 'GET', path)).parseJson<CustomObject>()))
    expect(second).toEqual(first)
    return first!
  }

  describe.each([
    { definer: 0, plural: 'widgets', kind: 'Widget' },
    { definer: 1, plural: 'gadgets', kind: 'Gadget' },
  ])('with the definition of $plural', ({ definer, plural, kind }) => {
    const objects = `/apis/example.com/v1/namespaces/default/${plural}`
    const createObject = (name: string, members: object = {}): object => ({
      apiVersion: 'example.com/v1',
      kind,
      metadata: { name },
      ...members,
    })

    beforeAll(async () => {
      await send(servers[definer]!, 'POST', definitionsPath, createDefinition(plural, kind))
      for (const server of servers) await waitUntilServed(server, objects)
    })

    test('both read the definition alike', async () => {
      const path = `${definitionsPath}/${plural}.example.com`
      await vi.waitFor(async () => {
        const { status } = (await send(servers[0], 'GET', path)).parseJson<{ status: { conditions: readonly object[] } }>()
        expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }))
      })
      await expectSame(path)
    })

    test.each([0, 1])('both read, change and watch the objects that either one creates (%i)', async (writer) => {
      const here = servers[writer]!
      const otherServer = servers[1 - writer]!
      const name = `a-${writer}`
      const path = `${objects}/${name}`
      const { metadata } = (
        await send(here, 'POST', objects, createObject(name, { spec: { replicas: 1, ports: [{ port: 80 }] } }))
      ).parseJson<CustomObject>()
      expect(await expectSame(path)).toMatchObject({ spec: { size: 3, replicas: 1, ports: [{ port: 80 }] } })

      const watched = send(otherServer, 'GET', `${objects}?watch=1&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=4`)
      await send(otherServer, 'PATCH', path, { spec: { size: 7 } }, mergePatch)
      await send(here, 'PATCH', `${path}/status`, { status: { phase: 'Ready', replicas: 1 } }, mergePatch)
      await send(otherServer, 'PATCH', `${path}/scale`, { spec: { replicas: 5 } }, mergePatch)
      const applied = createObject(name, { spec: { ports: [{ port: 81, name: 'metrics' }] } })
      await send(here, 'PATCH', `${path}?fieldManager=one`, applied, applyPatch)
      await send(otherServer, 'PATCH', `${path}?fieldManager=one`, createObject(name, { spec: { labels: { a: 'b' } } }), applyPatch)
      const changed = await expectSame(path)
      expect(changed).toMatchObject({
        metadata: { generation: 5 },
        spec: { size: 7, replicas: 5, ports: [{ port: 80 }], labels: { a: 'b' } },
        status: { phase: 'Ready', replicas: 1 },
      })
      expect(await expectSame(path.replace('v1', 'v1beta1'))).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: changed.spec })

      const conflict = { ...createObject(name), metadata: { name, resourceVersion: metadata.resourceVersion } }
      expect((await otherServer.client.request('PUT', path, { body: conflict })).status).toBe(409)
      await send(here, 'PUT', path, { ...changed, spec: { ...changed.spec, size: 8 } })
      expect(await expectSame(path)).toMatchObject({ spec: { size: 8 } })

      const selected = await Promise.all(
        servers.map(async (server) =>
          (await send(server, 'GET', `${objects}?fieldSelector=spec.size%3D8`)).parseJson<{ items: CustomObject[] }>(),
        ),
      )
      for (const { items } of selected) expect(items.map(({ metadata: { name: listed } }) => listed)).toContain(name)

      await send(otherServer, 'DELETE', path)
      for (const server of servers) expect((await server.client.request('GET', path)).status).toBe(404)
      const events = (await watched).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; object: CustomObject })
        .filter(({ object }) => object.metadata.name === name)
      expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'MODIFIED', 'DELETED'])
    })

    test('both store the same JSON, except for the order of the metadata', async () => {
      const values: unknown[] = []
      for (const [i, server] of servers.entries()) {
        const body = createObject(`stored-${i}`, { spec: { size: 1, labels: { b: 'c', a: 'b' }, ports: [{ port: 1, name: 'é"\u2028<' }] } })
        const { metadata } = (await send(server, 'POST', `${objects}?fieldManager=m`, body)).parseJson<{
          metadata: { uid: string; creationTimestamp: string }
        }>()
        const [stored] = (await etcdctl.values(`/registry/example.com/${plural}/default/stored-${i}`)).values()
        const text = stored!
          .toString()
          .replaceAll(metadata.uid, 'UID')
          .replaceAll(metadata.creationTimestamp, 'TIME')
          .replaceAll(`stored-${i}`, 'NAME')
        values.push(JSON.parse(text), text.length, text.slice(text.indexOf('"spec":{"labels"')))
      }
      expect(values.slice(3)).toEqual(values.slice(0, 3))
    })

    test('both serve a new version of the definition, also if the other server adds it', async () => {
      const path = `${definitionsPath}/${plural}.example.com`
      await send(servers[definer]!, 'POST', objects, createObject('kept'))
      const { spec } = (await send(servers[0], 'GET', path)).parseJson<{ spec: { versions: { name: string }[] } }>()
      const versions = [...spec.versions, { ...spec.versions[1], name: 'v2' }]
      await send(servers[1 - definer]!, 'PATCH', path, { spec: { versions } }, mergePatch)
      for (const server of servers) await waitUntilServed(server, `${objects.replace('v1', 'v2')}/kept`)
      await expectSame(`${objects.replace('v1', 'v2')}/kept`)
    })

    test('both remove the objects with the definition', async () => {
      await send(servers[1 - definer]!, 'DELETE', `${definitionsPath}/${plural}.example.com`)
      for (const server of servers) {
        await vi.waitFor(async () => expect((await server.client.request('GET', objects)).status).toBe(404), {
          timeout: 30_000,
          interval: 50,
        })
      }
      expect([...(await etcdctl.values(`/registry/example.com/${plural}/`)).keys()]).toEqual([])
    })
  })
})
