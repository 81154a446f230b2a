import type { Clock, GroupResource, KubeObject } from '@keelson/apimachinery'
import { newGone } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import type { ObjectEvent, StoredObject } from '@keelson/storagebackend'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NodeGraph } from './node-graph.ts'
import { populateGraph } from './populate-graph.ts'

/** A watch whose events come from the test. */
class FakeWatch {
  #batches: (readonly ObjectEvent[] | Error)[] = []
  #wake: () => void = () => {}
  /** Number of watches that were opened. */
  opened = 0

  send(...events: ObjectEvent[]): void {
    this.#batches.push(events)
    this.#wake()
  }

  fail(error: Error): void {
    this.#batches.push(error)
    this.#wake()
  }

  async *open(signal: AbortSignal): AsyncGenerator<readonly ObjectEvent[]> {
    this.opened++
    signal.addEventListener('abort', () => this.#wake())
    for (;;) {
      const next = this.#batches.shift()
      if (next instanceof Error) throw next
      if (next !== undefined) yield next
      else if (signal.aborted) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

const retryAtOnce: Clock = {
  now: () => 0,
  after(_milliseconds, call) {
    const timer = setImmediate(call)
    return () => clearImmediate(timer)
  },
}

const stop = { controller: new AbortController() }
let watches: Map<string, FakeWatch>
let graph: NodeGraph
let populating: Promise<void>
let operations: string[]
beforeEach(() => {
  watches = new Map(['pods', 'persistentvolumes', 'resourceslices'].map((resource) => [resource, new FakeWatch()]))
  graph = new NodeGraph()
  operations = []
  stop.controller = new AbortController()
  const { signal } = stop.controller
  const client = {
    resource({ resource }: GroupResource) {
      const watch = watches.get(resource)
      return watch && { watch: () => Promise.resolve(watch.open(signal)) }
    },
  } as unknown as LoopbackClient
  populating = populateGraph(graph, client, { signal, clock: retryAtOnce, observe: (operation) => void operations.push(operation) })
})
afterEach(async () => {
  stop.controller.abort()
  await populating
})

let revision = 1
function createStored(object: KubeObject, fields: Record<string, string> = {}): StoredObject {
  const { namespace = '', name = '' } = object.metadata
  const values: Record<string, string> = { 'metadata.namespace': namespace, 'metadata.name': name, ...fields }
  return {
    revision: revision++,
    body: Buffer.from(JSON.stringify(object)),
    field: (path: string) => values[path] ?? '',
    copy: () => structuredClone(object),
  } as unknown as StoredObject
}
const createPod = (name: string, spec: object = {}, overrides: object = {}): StoredObject => {
  const node = 'nodeName' in spec ? { 'spec.nodeName': String(spec.nodeName) } : {}
  return createStored({ metadata: { namespace: 'ns', name }, spec: { containers: [], ...spec }, ...overrides } as KubeObject, node)
}
const listed: ObjectEvent = { type: 'BOOKMARK', revision: 1, initialEventsEnd: true }
const isSeen = (resource: 'pods' | 'secrets' | 'resourceclaims', name: string): boolean =>
  graph.isRelated(resource, { namespace: 'ns', name }, 'n')
const withSecret = (secretName: string, overrides: object = {}): object => ({
  nodeName: 'n',
  imagePullSecrets: [{ name: secretName }],
  ...overrides,
})

test('adds a pod when it is bound, and updates it for new ephemeral containers and resource claims', async () => {
  const pods = watches.get('pods')!
  pods.send({ type: 'ADDED', object: createPod('a') }, listed)
  pods.send({ type: 'MODIFIED', object: createPod('a', withSecret('s')) })
  await expect.poll(() => isSeen('secrets', 's')).toBe(true)
  const debugged = withSecret('s', { ephemeralContainers: [{ name: 'd', envFrom: [{ secretRef: { name: 'debug' } }] }] })
  pods.send({ type: 'MODIFIED', object: createPod('a', debugged) })
  await expect.poll(() => isSeen('secrets', 'debug')).toBe(true)
  const claiming = { nodeName: 'n', resourceClaims: [{ name: 'r', resourceClaimTemplateName: 't' }] }
  const status = { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'made' }] }
  pods.send({ type: 'ADDED', object: createPod('b', claiming) }, { type: 'MODIFIED', object: createPod('b', claiming, { status }) })
  await expect.poll(() => isSeen('resourceclaims', 'made')).toBe(true)
  pods.send({ type: 'MODIFIED', object: createPod('b', { nodeName: 'n' }, { status: { phase: 'Running' } }) })
  pods.send({ type: 'DELETED', object: createPod('a', debugged) })
  await expect.poll(() => isSeen('secrets', 's')).toBe(false)
  expect(isSeen('pods', 'b')).toBe(true)
  // The pod without a node and the change of status.phase caused no operation.
  expect(operations).toEqual(['AddPod', 'AddPod', 'AddPod', 'AddPod', 'DeletePod'])
})

test('lists again after missed events, and removes deleted objects', async () => {
  const pods = watches.get('pods')!
  const slices = watches.get('resourceslices')!
  const slice = (name: string): StoredObject => createStored({ metadata: { name } }, { 'spec.nodeName': 'n' })
  pods.send({ type: 'ADDED', object: createPod('a', withSecret('s')) }, { type: 'ADDED', object: createPod('b', withSecret('t')) }, listed)
  slices.send({ type: 'ADDED', object: slice('x') }, listed)
  await expect.poll(() => isSeen('secrets', 't') && graph.keys('resourceslices').length).toBe(1)
  pods.fail(newGone('gone'))
  slices.fail(newGone('gone'))
  pods.send({ type: 'ADDED', object: createPod('b', withSecret('u')) }, listed)
  slices.send({ type: 'ADDED', object: slice('y') }, listed)
  await expect.poll(() => graph.keys('pods')).toEqual(['ns/b'])
  expect([isSeen('secrets', 's'), isSeen('secrets', 't'), isSeen('secrets', 'u')]).toEqual([false, false, true])
  await expect.poll(() => graph.keys('resourceslices')).toEqual(['y'])
  expect(pods.opened).toBe(2)
})

test('relates the secrets of a volume to a node while a pod there uses the bound claim', async () => {
  const secretRef = { name: 's', namespace: 'ns' }
  const createVolume = (claim: object): StoredObject =>
    createStored({
      metadata: { name: 'v' },
      spec: { csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: secretRef }, ...claim },
    } as KubeObject)
  const claimed = { nodeName: 'n', volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] }
  watches.get('pods')!.send({ type: 'ADDED', object: createPod('a', claimed) }, listed)
  const volumes = watches.get('persistentvolumes')!
  volumes.send({ type: 'ADDED', object: createVolume({}) }, listed)
  volumes.send({ type: 'MODIFIED', object: createVolume({ claimRef: { namespace: 'ns', name: 'c' } }) })
  await expect.poll(() => isSeen('secrets', 's')).toBe(true)
  volumes.send({ type: 'MODIFIED', object: createVolume({}) })
  await expect.poll(() => isSeen('secrets', 's')).toBe(false)
})
