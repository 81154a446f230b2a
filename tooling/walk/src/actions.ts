import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@keelson/apimachinery'
import { openWatch } from '@keelson/tooling-e2e/open-watch'
import { sampleObject } from '@keelson/tooling-e2e/sample-objects'
import { formatApiVersion, buildCollectionPath, servedResources } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import type { Action } from './engine-trace.ts'
import { namespace } from './walked-server.ts'
import type { WalkedServer } from './walked-server.ts'

/** The resource that somebody means by "pods" or "deployments.apps", in its preferred version. */
export async function findResource(server: WalkedServer, named: string): Promise<ServedResource> {
  const resources = await servedResources(async (target) => (await server.send('GET', target)).json())
  const found = resources.find(({ plural, group }) => named === plural || (group !== '' && named === `${plural}.${group}`))
  if (found === undefined) throw new Error(`no resource is named "${named}"; examples: pods, deployments, leases.coordination.k8s.io`)
  return found
}

const name = 'walk-sample'

interface Subject {
  readonly server: WalkedServer
  readonly resource: ServedResource
  readonly collection: string
  /** Path of the sample. */
  readonly target: string
  /** A valid object. */
  readonly sample: (name: string) => JsonObject
}

/** A number that is new each time, so that every write changes something. */
let writes = 0

const annotated = (object: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), annotations: { walked: String(++writes) } },
})

const nothing = (): Promise<void> => Promise.resolve()

const makers: Readonly<Record<string, (subject: Subject) => Action | Promise<Action>>> = {
  get: ({ server, target }) => ({ prepare: nothing, run: () => send(server, 'GET', target) }),
  list: ({ server, collection }) => ({ prepare: nothing, run: () => send(server, 'GET', collection) }),
  watch: watchedEvent,
  create({ server, collection, sample }) {
    return { prepare: nothing, run: () => send(server, 'POST', collection, sample(`${name}-${++writes}`)) }
  },
  update({ server, target }) {
    let next: JsonObject = {}
    return {
      prepare: async () => void (next = annotated((await server.send('GET', target)).json())),
      run: () => send(server, 'PUT', target, next),
    }
  },
  patch: ({ server, target }) => ({
    prepare: nothing,
    run: () => send(server, 'PATCH', target, annotated({}), 'application/merge-patch+json'),
  }),
  apply: ({ server, resource, target }) => ({
    prepare: nothing,
    run: () =>
      send(
        server,
        'PATCH',
        `${target}?fieldManager=walk`,
        annotated({ apiVersion: formatApiVersion(resource), kind: resource.kind, metadata: { name } }),
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

/** The request, or the event, that a walk of `verb` follows. The sample object exists when it resolves. */
export async function actionFor(server: WalkedServer, verb: string, resource: ServedResource): Promise<Action> {
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
 * One event of an open watch. The walk begins where the store finds the watcher: the store is written to directly, with one of two values that the
 * server has made before, and functions that also run for a key without watchers are left out.
 */
async function watchedEvent({ server, collection, target }: Subject): Promise<Action> {
  const { backend, url, token } = server
  const key = await storageKey(server)
  const stored = async (): Promise<Uint8Array> => (await backend.get(key)).entry!.value
  const values = [await stored()]
  await send(server, 'PATCH', target, annotated({}), 'application/merge-patch+json')
  values.push(await stored())
  const watch = await openWatch('HTTP/1.1', { url, token }, `${collection}?watch=1`)
  let received = watch.events().length
  async function put(key: string): Promise<void> {
    const { entry } = await backend.get(key)
    values.reverse()
    const value = Uint8Array.from(values[0]!)
    await backend.commit({ compare: [{ key, modRevision: entry?.modRevision ?? 0 }], operations: [{ type: 'put', key, value }] })
  }
  return {
    prepare: nothing,
    async run() {
      await put(key)
      while (watch.events().length === received) await sleep(1)
      received = watch.events().length
    },
    apart: { prepare: nothing, run: () => put('/walk/unwatched') },
  }
}

async function storageKey({ backend }: WalkedServer): Promise<string> {
  const { entries } = await backend.list({ start: '/registry/', end: '/registry0' })
  const found = entries.find(({ key }) => key.endsWith(`/${name}`))
  if (found === undefined) throw new Error('the sample is not in the store')
  return found.key
}
