import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@keelson/apimachinery'
import { openWatch } from '@keelson/tooling-e2e/open-watch'
import { sampleObject } from '@keelson/tooling-e2e/sample-objects'
import { formatApiVersion, buildCollectionPath, readServedResources } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import type { Action } from './engine-trace.ts'
import { namespace } from './walked-server.ts'
import type { WalkedServer } from './walked-server.ts'

/** Finds a resource by name ("pods", "deployments.apps") in its preferred version. */
export async function findResource(server: WalkedServer, named: string): Promise<ServedResource> {
  const resources = await readServedResources(async (target) => (await server.send('GET', target)).parseJson())
  const foundServedResource = resources.find(({ plural, group }) => named === plural || (group !== '' && named === `${plural}.${group}`))
  if (foundServedResource === undefined)
    throw new Error(`unknown resource "${named}"; examples: pods, deployments, leases.coordination.k8s.io`)
  return foundServedResource
}

const name = 'walk-sample'

interface Subject {
  readonly server: WalkedServer
  readonly resource: ServedResource
  readonly collection: string
  /** Path of the sample object that the request uses. */
  readonly target: string
  /** Returns a valid object with the given name. */
  readonly sample: (name: string) => JsonObject
}

/** Number of writes so far. Each write contains this number, so that it changes the object. */
let writes = 0

const annotateObject = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), annotations: { walked: String(++writes) } },
})

const doNothing = (): Promise<void> => Promise.resolve()

const makers: Readonly<Record<string, (subject: Subject) => Action | Promise<Action>>> = {
  get: ({ server, target }) => ({ prepare: doNothing, run: () => send(server, 'GET', target) }),
  list: ({ server, collection }) => ({ prepare: doNothing, run: () => send(server, 'GET', collection) }),
  watch: createWatchedEvent,
  create({ server, collection, sample }) {
    return { prepare: doNothing, run: () => send(server, 'POST', collection, sample(`${name}-${++writes}`)) }
  },
  update({ server, target }) {
    let next: JsonObject = {}
    return {
      prepare: async () => void (next = annotateObject((await server.send('GET', target)).parseJson())),
      run: () => send(server, 'PUT', target, next),
    }
  },
  patch: ({ server, target }) => ({
    prepare: doNothing,
    run: () => send(server, 'PATCH', target, annotateObject({}), 'application/merge-patch+json'),
  }),
  apply: ({ server, resource, target }) => ({
    prepare: doNothing,
    run: () =>
      send(
        server,
        'PATCH',
        `${target}?fieldManager=walk`,
        annotateObject({ apiVersion: formatApiVersion(resource), kind: resource.kind, metadata: { name } }),
        'application/apply-patch+yaml',
      ),
  }),
  delete({ server, collection, sample }) {
    const removed = `${name}-removed`
    return {
      prepare: async () => void (await server.send('POST', collection, { body: sample(removed) })),
      run: () => send(server, 'DELETE', `${collection}/${removed}`),
    }
  },
}

export const verbs: readonly string[] = Object.keys(makers)

/** Creates the action that a walk traces: a request or a watch event. Also creates the sample object. */
export async function createAction(server: WalkedServer, verb: string, resource: ServedResource): Promise<Action> {
  const { group, version, plural, namespaced } = resource
  const placed = { group, version, plural, ...(namespaced && { namespace }) }
  const sample = (name: string): JsonObject => sampleObject({ ...placed, name })
  const collection = buildCollectionPath(resource, namespace)
  await server.send('POST', collection, { body: sample(name) })
  return makers[verb]!({ server, resource, collection, target: `${collection}/${name}`, sample })
}

async function send(server: WalkedServer, method: string, target: string, body?: JsonObject, type?: string): Promise<void> {
  await server.send(method, target, { ...(body && { body }), ...(type && { headers: { 'content-type': type } }) })
}

/**
 * Creates an action that causes one event on an open watch. The action writes one of two stored values directly to the store. Calls that
 * also happen for a key without watchers are subtracted, so the walk starts where the store looks for watchers.
 */
async function createWatchedEvent({ server, collection, target }: Subject): Promise<Action> {
  const { backend, url, token } = server
  const key = await findStorageKey(server)
  const readStored = async (): Promise<Uint8Array> => (await backend.get(key)).entry!.value
  const values = [await readStored()]
  await send(server, 'PATCH', target, annotateObject({}), 'application/merge-patch+json')
  values.push(await readStored())
  const watch = await openWatch('HTTP/1.1', { url, token }, `${collection}?watch=1`)
  let received = watch.listEvents().length
  async function put(key: string): Promise<void> {
    const { entry } = await backend.get(key)
    values.reverse()
    const value = Uint8Array.from(values[0]!)
    await backend.commit({ compare: [{ key, modRevision: entry?.modRevision ?? 0 }], operations: [{ type: 'put', key, value }] })
  }
  return {
    prepare: doNothing,
    async run() {
      await put(key)
      while (watch.listEvents().length === received) await sleep(1)
      received = watch.listEvents().length
    },
    apart: { prepare: doNothing, run: () => put('/walk/unwatched') },
  }
}

async function findStorageKey({ backend }: WalkedServer): Promise<string> {
  const { entries } = await backend.list({ start: '/registry/', end: '/registry0' })
  const entry = entries.find(({ key }) => key.endsWith(`/${name}`))
  if (entry === undefined) throw new Error('the sample object is not in the store')
  return entry.key
}
