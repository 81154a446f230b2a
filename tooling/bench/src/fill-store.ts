import { openEmbedded } from '@keelson/backend-embedded'
import { openEtcd3 } from '@keelson/backend-etcd3'
import type { Backend, Entry, Operation } from '@keelson/storagebackend'
import { namespace, createSamplePod } from './sample-pod.ts'
import { ask, startKeelson } from './server-under-test.ts'
import type { Scratch, ServerUnderTest } from './server-under-test.ts'

export interface DatasetSize {
  /** Number of pods of 8 KB with managed fields. Their names start with "pod-000000"; the label `group` has 50 values. */
  readonly pods: number
  /** Number of config maps of 1 KB. */
  readonly configMaps: number
}

/** A data directory with stored objects. */
export interface Dataset extends DatasetSize {
  readonly directory: string
  /** Total size of all stored pods, in bytes. */
  readonly podBytes: number
}

export const groups = 50
/** Approximate number of bytes that `withManagedFields` adds to a pod. */
const managedFieldsBytes = 1200
export const pods: string = `/api/v1/namespaces/${namespace}/pods`
export const configMaps: string = `/api/v1/namespaces/${namespace}/configmaps`
/**
 * Returns the name of the nth pod. Names, labels and uids have a fixed length, so that `fillStore` can copy a stored pod by overwriting
 * these bytes.
 */
export const formatPodName = (n: number): string => `pod-${String(n).padStart(6, '0')}`
export const formatConfigMapName = (n: number): string => `map-${String(n).padStart(6, '0')}`
export const groupName = (n: number): string => `group-${String(n % groups).padStart(2, '0')}`

/**
 * Creates a data directory with the objects of a dataset. Creates one pod and one config map through a server, stops the server, and writes
 * copies of the stored values to its store.
 */
export async function fillStore(scratch: Scratch, program: string, size: DatasetSize): Promise<Dataset> {
  const directory = scratch.directory(`data-${size.pods}-${size.configMaps}`)
  {
    await using server = await startKeelson(scratch, program, { dataDirectory: directory })
    await makeFirst(server)
  }
  await using store = await openEmbedded({ dataDir: directory })
  return {
    ...size,
    directory,
    podBytes: await copyFirstObjects(store, size, { prefix: '/registry', together: 250, adapt: withManagedFields }),
  }
}

/**
 * Writes the objects of a dataset to etcd, below the key prefix of a running server. Copies stored values like `fillStore`. Writes 100
 * objects per transaction, because etcd allows at most 128 operations.
 */
export async function fillEtcd(server: ServerUnderTest, url: string, prefix: string, size: DatasetSize): Promise<void> {
  await makeFirst(server)
  await using store = await openEtcd3({ transport: { serverList: [url] }, compactionInterval: 0 })
  await copyFirstObjects(store, size, { prefix, together: 100, adapt: (value) => value })
}

const commitsAtOnce = 8

type FilledStore = Pick<Backend, 'get' | 'commit'>

interface CopyOptions {
  readonly prefix: string
  /** Number of objects per transaction. */
  readonly together: number
  /** Changes the stored value of the first pod before the copies are made. */
  readonly adapt: (pod: Uint8Array) => Uint8Array
}

/** Writes copies of the first pod and the first config map to a store. Returns the total size of the pods in bytes. */
async function copyFirstObjects(store: FilledStore, size: DatasetSize, { prefix, together, adapt }: CopyOptions): Promise<number> {
  const pod = await read(store, `${prefix}/pods/${namespace}/${formatPodName(0)}`)
  const podBytes = await writeCopies(store, { key: pod.key, value: adapt(pod.value) }, { count: size.pods, together }, (n) => [
    [formatPodName(0), formatPodName(n)],
    [groupName(0), groupName(n)],
  ])
  const map = await read(store, `${prefix}/configmaps/${namespace}/${formatConfigMapName(0)}`)
  await writeCopies(store, map, { count: size.configMaps, together }, (n) => [[formatConfigMapName(0), formatConfigMapName(n)]])
  return podBytes
}

async function makeFirst(server: ServerUnderTest): Promise<void> {
  const map = { metadata: { name: formatConfigMapName(0), namespace }, data: { text: 'a line that means nothing. '.repeat(32) } }
  for (const [target, object] of [
    ...listFirstObjects(),
    [pods, createPodBody(formatPodName(0), groupName(0))],
    [configMaps, map],
  ] as const) {
    const { status, body } = await ask(server, 'POST', target, object)
    if (status !== 201 && status !== 409) throw new Error(`${target} returned ${status}: ${body.toString()}`)
  }
}

/** Lists the objects that must exist before pods are created, each with the path for the POST request. */
export function listFirstObjects(): readonly (readonly [path: string, object: object])[] {
  return [
    ['/api/v1/namespaces', { metadata: { name: namespace } }],
    [`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }],
  ]
}

/** Builds the body of the request that creates a pod. */
export function createPodBody(name: string, group: string): object {
  const pod = createSamplePod(name, 8192 - managedFieldsBytes) as { metadata: { labels: Record<string, string> } }
  pod.metadata.labels['group'] = group
  return pod
}

async function read(store: FilledStore, key: string): Promise<Entry> {
  const { entry } = await store.get(key)
  if (entry === undefined) throw new Error(`the server did not store ${key}`)
  return entry
}

const metadataEnds = Buffer.from('},"spec":{')

/** Adds managed fields to a stored pod, as if one client had set all of its fields. Used for servers that store no managed fields. */
function withManagedFields(value: Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  if (bytes.includes('"managedFields":')) return bytes
  const at = bytes.indexOf(metadataEnds)
  const fields = {
    'f:metadata': { 'f:annotations': { '.': {}, ...noteFields(bytes) }, 'f:labels': { '.': {}, 'f:app': {}, 'f:group': {}, 'f:name': {} } },
    'f:spec': {
      'f:automountServiceAccountToken': {},
      'f:containers': {
        'k:{"name":"main"}': {
          '.': {},
          'f:env': { '.': {}, 'k:{"name":"MODE"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
          'f:image': {},
          'f:imagePullPolicy': {},
          'f:name': {},
          'f:ports': {
            '.': {},
            'k:{"containerPort":8080,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:name': {}, 'f:protocol': {} },
          },
          'f:resources': {
            '.': {},
            'f:limits': { '.': {}, 'f:cpu': {}, 'f:memory': {} },
            'f:requests': { '.': {}, 'f:cpu': {}, 'f:memory': {} },
          },
          'f:terminationMessagePath': {},
          'f:terminationMessagePolicy': {},
        },
      },
      'f:dnsPolicy': {},
      'f:enableServiceLinks': {},
      'f:restartPolicy': {},
      'f:schedulerName': {},
      'f:securityContext': {},
      'f:terminationGracePeriodSeconds': {},
    },
  }
  const entry = {
    manager: 'bench',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
  }
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(`,"managedFields":${JSON.stringify([entry])}`), bytes.subarray(at)])
}

function noteFields(bytes: Buffer): Record<string, object> {
  const names = new Set(bytes.toString().match(/example\.com\/note-\d+/g))
  return Object.fromEntries([...names].map((name) => [`f:${name}`, {}]))
}

/** Writes numbered copies of a stored value, including number 0. Returns the total size of the copies in bytes. */
async function writeCopies(
  store: FilledStore,
  first: Pick<Entry, 'key' | 'value'>,
  { count, together }: { readonly count: number; readonly together: number },
  changes: (n: number) => readonly (readonly [from: string, to: string])[],
): Promise<number> {
  const template = Buffer.from(first.value)
  const places = changes(0).map(([from]) => findPlaces(template, from))
  const key = first.key.slice(0, -changes(0)[0]![0].length)
  let pending: Promise<unknown>[] = []
  for (let from = 0; from < count; from += together) {
    const operations: Operation[] = []
    for (let n = from; n < Math.min(count, from + together); n++) {
      const copy = Buffer.from(template)
      const changed = changes(n)
      places.forEach((at, i) => at.forEach((place) => copy.write(changed[i]![1], place)))
      operations.push({ type: 'put', key: key + changed[0]![1], value: copy })
    }
    pending.push(store.commit({ compare: [], operations }))
    // Limits the number of concurrent commits. Several commits share a flush, but each pending commit uses memory.
    if (pending.length < commitsAtOnce) continue
    await Promise.all(pending)
    pending = []
  }
  await Promise.all(pending)
  return template.length * count
}

function findPlaces(bytes: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at)
  return places
}
