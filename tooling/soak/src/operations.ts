import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '@keelson/apimachinery'
import type { CountedAnswer, CountedClient, CountedRequest, RequestLabels } from './counted-client.ts'
import { getClusterPath, getCollectionPath, createLabels, kinds, leases, leasesPath, namespace } from './kinds.ts'
import type { SoakKind } from './kinds.ts'
import { createObject, stamp } from './slots.ts'
import type { Slot, Slots } from './slots.ts'
import type { Tally } from './tally.ts'

/** State of the load that operations share. */
export interface LoadContext {
  readonly client: CountedClient
  readonly slots: Slots
  readonly leases: readonly Lease[]
  readonly tally: Tally
  readonly random: () => number
  /** Returns a number that no other operation gets. */
  next(): number
}

/** A lease that a node renews. */
export interface Lease {
  readonly name: string
  resourceVersion: string
  isBusy: boolean
}

/** One kind of request of the load. */
export interface Operation {
  readonly name: string
  /** Requests a second of the full load. */
  readonly rate: number
  /** Sends the requests of the operation. Returns 'skipped' if no object is in the state that it needs. */
  run(context: LoadContext): Promise<Outcome>
}

export type Outcome = 'done' | 'skipped'

interface Claimable {
  isBusy: boolean
}

const claimMs = 5

/**
 * Runs a function while no other operation may use the objects. Waits until each of them is idle. All callers claim objects in the same order,
 * so none waits for another that waits for it. Releases the objects also if a request fails.
 */
async function claim<T>(objects: readonly Claimable[], run: () => Promise<T>): Promise<T> {
  const claimed: Claimable[] = []
  try {
    for (const object of objects) {
      while (object.isBusy) await wait(claimMs)
      object.isBusy = true
      claimed.push(object)
    }
    return await run()
  } finally {
    for (const object of claimed) object.isBusy = false
  }
}

const exists = ({ resourceVersion }: Slot): boolean => resourceVersion !== undefined
const isFree = ({ resourceVersion }: Slot): boolean => resourceVersion === undefined
const protobuf = { accept: 'application/vnd.kubernetes.protobuf' }
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }

function getObjectPath({ kind, name }: Slot): string {
  return `${getCollectionPath(kind)}/${name}`
}

function pickKind({ random }: LoadContext): SoakKind {
  return kinds[Math.floor(random() * kinds.length)]!
}

async function sendExpecting(context: LoadContext, request: CountedRequest, status: number): Promise<CountedAnswer> {
  const answer = await context.client.send(request)
  if (answer.status !== status)
    context.tally.report(
      `${request.method} ${request.path} returned ${answer.status}, not ${status}: ${answer.body.toString().slice(0, 200)}`,
    )
  return answer
}

/** Reads an existing object and measures the time. */
function read(headers?: Readonly<Record<string, string>>, accept: (slot: Slot) => boolean = exists): Operation['run'] {
  return async (context) => {
    const slot = context.slots.pick(accept)
    if (slot === undefined) return 'skipped'
    const request = { method: 'GET', path: getObjectPath(slot), headers, labels: createLabels(slot.kind, 'GET') }
    const answer = await claim([slot], () => sendExpecting(context, request, 200))
    context.tally.reads.push(answer.milliseconds)
    return 'done'
  }
}

function list(
  createPath: (kind: SoakKind) => string,
  scope: 'namespace' | 'cluster',
  headers?: Readonly<Record<string, string>>,
): Operation['run'] {
  return async (context) => {
    const kind = pickKind(context)
    await sendExpecting(context, { method: 'GET', path: createPath(kind), headers, labels: createLabels(kind, 'LIST', scope) }, 200)
    return 'done'
  }
}

async function listPages(context: LoadContext): Promise<Outcome> {
  const kind = pickKind(context)
  const path = `${getCollectionPath(kind)}?limit=100`
  const labels = createLabels(kind, 'LIST', 'namespace')
  const first = await sendExpecting(context, { method: 'GET', path, labels }, 200)
  const { metadata } = JSON.parse(first.body.toString()) as { metadata: { continue?: string } }
  if (metadata.continue === undefined) return 'done'
  await sendExpecting(context, { method: 'GET', path: `${path}&continue=${encodeURIComponent(metadata.continue)}`, labels }, 200)
  return 'done'
}

interface WriteOptions {
  readonly method: string
  readonly verb?: string
  readonly accept?: (slot: Slot) => boolean
  readonly status?: number
  /** Whether the write changes an object and is seen by watches. */
  readonly changes?: boolean
  readonly subresource?: string
  readonly query?: string
  readonly dryRun?: string
  readonly contentType?: string
  body?(slot: Slot, n: number): object | undefined
}

function write({ method, verb = method, accept = exists, status = 200, changes = true, ...options }: WriteOptions): Operation['run'] {
  return async (context) => {
    const slot = context.slots.pick(accept)
    if (slot === undefined) return 'skipped'
    const { kind } = slot
    const { subresource = '', query = '', contentType, dryRun = '' } = options
    const path = `${method === 'POST' ? getCollectionPath(kind) : getObjectPath(slot)}${subresource && `/${subresource}`}${query && `?${query}`}`
    const body = options.body?.(slot, context.next())
    const headers = contentType === undefined ? undefined : { 'content-type': contentType }
    const labels = createLabels(kind, verb, 'resource', { subresource, dryRun })
    return claim<Outcome>([slot], async () => {
      const answer = await sendExpecting(context, { method, path, body, headers, labels }, status)
      if (!changes || answer.status >= 300) return 'done'
      context.tally.countChanges(kind.resource, method === 'DELETE' ? kind.changesOfDeletion : 1)
      slot.resourceVersion = method === 'DELETE' ? undefined : readResourceVersion(answer)
      return 'done'
    })
  }
}

function readResourceVersion({ body }: CountedAnswer): string {
  return (JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion
}

/** Merges the stamp into a patch. */
function createPatch(fields: JsonObject): object {
  const { metadata = {} } = fields as { metadata?: JsonObject }
  return { ...fields, metadata: { ...metadata, annotations: stamp() } }
}

/** Deletes the objects of one batch. It may affect all slots of a kind, so it claims all of them. */
async function deleteBatch(context: LoadContext): Promise<Outcome> {
  const kind = pickKind(context)
  const slots = context.slots.all.filter((slot) => slot.kind === kind)
  const path = `${getCollectionPath(kind)}?labelSelector=batch%3Db${context.next() % 20}`
  return claim<Outcome>(slots, async () => {
    const answer = await sendExpecting(context, { method: 'DELETE', path, labels: createLabels(kind, 'DELETE', 'namespace') }, 200)
    const { items = [] } = JSON.parse(answer.body.toString()) as { items?: readonly { readonly metadata: { readonly name: string } }[] }
    const deleted = new Set(items.map(({ metadata }) => metadata.name))
    context.tally.countChanges(kind.resource, deleted.size * kind.changesOfDeletion)
    for (const slot of slots) if (deleted.has(slot.name)) slot.resourceVersion = undefined
    return 'done'
  })
}

function ask(method: string, path: string, status: number, labels?: CountedRequest['labels'], body?: object): Operation['run'] {
  return async (context) => {
    await sendExpecting(context, { method, path, body, labels }, status)
    return 'done'
  }
}

const reviews = createLabels({ group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' }, 'POST')

/** Renews the lease of a node like a kubelet. */
async function renewLease(context: LoadContext): Promise<Outcome> {
  const lease = context.leases[context.next() % context.leases.length]!
  if (lease.isBusy) return 'skipped'
  const spec = { holderIdentity: lease.name, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace('Z', '000Z') }
  const metadata = { name: lease.name, namespace, resourceVersion: lease.resourceVersion }
  const path = `${leasesPath}/${lease.name}`
  const request = { method: 'PUT', path, body: { metadata, spec }, labels: createLabels(leases, 'PUT') }
  const answer = await claim([lease], () => sendExpecting(context, request, 200))
  if (answer.status === 200) lease.resourceVersion = readResourceVersion(answer)
  return 'done'
}

const createPathLabels = (subresource: string): RequestLabels => ({
  verb: 'GET',
  group: '',
  version: '',
  resource: '',
  subresource,
  scope: '',
  dry_run: '',
})
const readyLabels = createPathLabels('/readyz')

const withStatus = (slot: Slot): boolean => exists(slot) && slot.kind.hasStatus
const isBuiltIn = (slot: Slot): boolean => exists(slot) && !slot.kind.isCustom

/** All requests of the load, except watches. */
export const operations: readonly Operation[] = [
  { name: 'get', rate: 90, run: read() },
  { name: 'get protobuf', rate: 20, run: read(protobuf, isBuiltIn) },
  { name: 'get table', rate: 10, run: read(table) },
  {
    name: 'get missing',
    rate: 5,
    run: async (context) => {
      const kind = pickKind(context)
      await sendExpecting(context, { method: 'GET', path: `${getCollectionPath(kind)}/none`, labels: createLabels(kind, 'GET') }, 404)
      return 'done'
    },
  },
  { name: 'list pages', rate: 5, run: listPages },
  { name: 'list by label', rate: 8, run: list((kind) => `${getCollectionPath(kind)}?labelSelector=batch%3Db3`, 'namespace') },
  { name: 'list from cache', rate: 1, run: list((kind) => `${getCollectionPath(kind)}?resourceVersion=0`, 'namespace') },
  { name: 'list of all namespaces', rate: 0.5, run: list(getClusterPath, 'cluster') },
  { name: 'list metadata', rate: 1, run: list(getCollectionPath, 'namespace', metadataOnly) },
  { name: 'create', rate: 30, run: write({ method: 'POST', accept: isFree, status: 201, body: createObject }) },
  { name: 'create existing', rate: 2, run: write({ method: 'POST', status: 409, changes: false, body: createObject }) },
  {
    name: 'create invalid',
    rate: 2,
    run: write({
      method: 'POST',
      accept: isFree,
      status: 422,
      changes: false,
      body: (slot, n) => createObject(slot, n, slot.kind.invalidFields),
    }),
  },
  {
    name: 'create dry run',
    rate: 2,
    run: write({ method: 'POST', accept: isFree, status: 201, changes: false, query: 'dryRun=All', dryRun: 'All', body: createObject }),
  },
  {
    name: 'update conflict',
    rate: 2,
    run: write({
      method: 'PUT',
      status: 409,
      changes: false,
      body: (slot, n) => createObject(slot, n, { metadata: { resourceVersion: '1' }, ...slot.kind.createFields(0) }),
    }),
  },
  {
    name: 'update',
    rate: 15,
    run: write({
      method: 'PUT',
      accept: (slot) => exists(slot) && slot.kind.resource !== 'pods',
      body: (slot, n) => createObject(slot, n, { metadata: { resourceVersion: slot.resourceVersion! }, ...slot.kind.createFields(n) }),
    }),
  },
  {
    name: 'merge patch',
    rate: 15,
    run: write({
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: ({ kind }, n) => createPatch(kind.changeFields(n)),
    }),
  },
  {
    name: 'strategic merge patch',
    rate: 10,
    run: write({
      method: 'PATCH',
      accept: isBuiltIn,
      contentType: 'application/strategic-merge-patch+json',
      body: ({ kind }, n) => createPatch(kind.changeFields(n)),
    }),
  },
  {
    name: 'json patch',
    rate: 5,
    run: write({
      method: 'PATCH',
      contentType: 'application/json-patch+json',
      body: () => [{ op: 'add', path: '/metadata/annotations', value: stamp() }],
    }),
  },
  {
    name: 'apply',
    rate: 5,
    run: write({
      method: 'PATCH',
      verb: 'APPLY',
      query: 'fieldManager=soak&force=true',
      contentType: 'application/apply-patch+yaml',
      body: (slot, n) => createObject(slot, n, slot.kind.resource === 'pods' ? {} : slot.kind.changeFields(n)),
    }),
  },
  {
    name: 'status patch',
    rate: 15,
    run: write({
      method: 'PATCH',
      accept: withStatus,
      subresource: 'status',
      contentType: 'application/merge-patch+json',
      body: (_slot, n) => ({ metadata: { annotations: stamp() }, status: { message: `message ${n}` } }),
    }),
  },
  { name: 'delete', rate: 20, run: write({ method: 'DELETE' }) },
  { name: 'delete batch', rate: 0.3, run: deleteBatch },
  { name: 'renew lease', rate: 10, run: renewLease },
  {
    name: 'access review',
    rate: 5,
    run: ask('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 201, reviews, {
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    }),
  },
  { name: 'discovery', rate: 2, run: ask('GET', '/apis', 200) },
  { name: 'openapi', rate: 0.2, run: ask('GET', '/openapi/v3', 200, createPathLabels('openapi/v3')) },
  {
    name: 'ready',
    rate: 1,
    run: async (context) => {
      await sendExpecting(context, { method: 'GET', path: '/readyz', labels: readyLabels }, 200)
      context.tally.readyChecks++
      return 'done'
    },
  },
]
