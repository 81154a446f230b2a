import type { JsonObject } from '@keelson/apimachinery'
import { formatPodName, pods } from '../fill-store.ts'
import type { Item, Side } from '../frame/item.ts'
import { createLoadSide } from '../frame/load-side.ts'
import { defaultDataset } from '../frame/open-bench.ts'
import type { RequestTemplate } from '../load-job.ts'
import { createWorkloadPod } from '../registry/workload-pod.ts'
import { runClient } from '../run-client.ts'
import { ask } from '../server-under-test.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { install, openApi } from './definitions.ts'
import { createPodLikeObject, createPodLikeDefinition, podLikes } from './pod-like-kind.ts'

const json = 'application/json'
const clients = 16
/** Number of objects of each kind that patches change. */
const patched = 1000
/** Number of warm-up writes. Afterwards V8 has compiled the write path. */
const warmRequests = 10_000
const maxWarmSeconds = 10
let runs = Date.now() % 1_000_000

interface Kind {
  readonly collection: string
  /** Returns a pod, or an object with the fields of a pod. */
  readonly make: (pod: JsonObject) => JsonObject
}

const pod: Kind = { collection: pods, make: (body) => ({ apiVersion: 'v1', kind: 'Pod', ...body }) }
const custom: Kind = { collection: podLikes, make: createPodLikeObject }

/** Compares requests for custom objects with those for pods of the same size, by the processor time of a request. */
export const customLoadItems: readonly Item[] = [
  loadItem({
    name: 'get',
    title: 'GET',
    least: 0.95,
    connections: 10,
    request: ({ collection }) => ({ method: 'GET', path: `${collection}/${formatPodName(0)}` }),
  }),
  loadItem({
    name: 'list',
    title: 'LIST of 10,000',
    least: 0.95,
    connections: 2,
    request: ({ collection }) => ({ method: 'GET', path: collection }),
  }),
  loadItem({ name: 'create', title: 'create', writes: true, least: 0.7, connections: clients, request: createOne }),
  loadItem({
    name: 'patch',
    title: 'merge-patch',
    writes: true,
    least: 0.7,
    connections: clients,
    request: ({ collection }) => ({
      method: 'PATCH',
      path: `${collection}/patched-{n}`,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: { annotations: { 'example.com/touched': `${++runs}-{i}` } } }),
      modulo: patched,
      digits: 6,
    }),
  }),
]

interface LoadOptions {
  readonly name: string
  readonly title: string
  /** Minimum speed of custom objects, as a share of the speed of pods. */
  readonly least: number
  readonly connections: number
  readonly request: (kind: Kind) => RequestTemplate
  /** Whether the requests write. Writes need a longer warm-up, because they run more code. */
  readonly writes?: boolean
}

function loadItem({ name, title, least, connections, request, writes = false }: LoadOptions): Item {
  return {
    name: `custom/${name}`,
    title: `${title}: processor time of custom objects with schema, defaults and five rules, and of pods of the same size`,
    unit: 'µs',
    bar: { type: 'ratio', of: 'keelson', to: 'pods', maximum: 1 / least },
    only: 'named',
    async open(bench) {
      const server = (await bench.startServer(defaultDataset, { copyName: 'custom' }))!
      const comparedServers = await bench.startComparedServers(defaultDataset)
      for (const each of [server, ...comparedServers]) await prepare(each)
      const createSide = (each: ServerUnderTest, as: string, kind: Kind): Side =>
        createCostSide(
          createLoadSide({
            server: each,
            name: as,
            unit: 'requests/s',
            load: () => ({ connections, pipeline: 1, request: request(kind) }),
            ...(writes && { warmRequests, maxWarmSeconds }),
          }),
        )
      return {
        sides: [
          createSide(server, 'keelson', custom),
          createSide(server, 'pods', pod),
          ...comparedServers.flatMap((each) => [createSide(each, each.name, custom), createSide(each, `${each.name} pods`, pod)]),
        ],
      }
    },
  }
}

/**
 * Returns a side whose value is the processor time of the server for one response, in microseconds. It measures no latency, because the rate
 * for that is computed from a value in requests per second.
 */
function createCostSide(side: Side): Side {
  return {
    name: side.name,
    warmUp: async () => side.warmUp?.(),
    async measure(seconds) {
      const figure = await side.measure(seconds)
      return { ...figure, value: (figure.serverCpu ?? NaN) * 1000 }
    },
    close: () => side.close?.(),
  }
}

function createOne({ collection, make }: Kind): RequestTemplate {
  const body = make(createWorkloadPod(`new-${++runs}-{n}`))
  return { method: 'POST', path: collection, contentType: json, body: JSON.stringify(body), digits: 6 }
}

const prepared = new WeakMap<ServerUnderTest, Promise<void>>()

/** Creates the definition, 10,000 custom objects like the pods of the dataset, and the objects of both kinds that patches change. */
function prepare(server: ServerUnderTest): Promise<void> {
  const known = prepared.get(server) ?? fill(server)
  prepared.set(server, known)
  return known
}

async function fill(server: ServerUnderTest): Promise<void> {
  const { body } = await ask(server, 'GET', `${pods}/${formatPodName(0)}`)
  const stored = JSON.parse(body.toString()) as JsonObject & { metadata: JsonObject }
  {
    using api = openApi(server)
    await install(api, [createPodLikeDefinition([stored, createWorkloadPod('a')])])
  }
  const { labels, annotations } = stored.metadata
  const createNamed = (name: string): JsonObject => ({
    ...stored,
    metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
  })
  await createMany(server, custom.collection, custom.make(createNamed('pod-{n}')), defaultDataset.pods)
  for (const kind of [pod, custom]) await createMany(server, kind.collection, kind.make(createWorkloadPod('patched-{n}')), patched)
}

async function createMany({ name, url, token }: ServerUnderTest, path: string, object: JsonObject, count: number): Promise<void> {
  const request = { method: 'POST', path, contentType: json, body: JSON.stringify(object), digits: 6 }
  const { failures, firstFailure } = await runClient({ url, token, connections: 32, pipeline: 1, seconds: 600, count, request })
  if (failures > 0 && firstFailure !== 409) throw new Error(`${name}: creating ${path} failed with ${firstFailure}`)
}
