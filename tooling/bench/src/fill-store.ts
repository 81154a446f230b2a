import { openEmbedded } from '@keelson/backend-embedded'
import { openEtcd3 } from '@keelson/backend-etcd3'
import type { Backend, Entry, Operation } from '@keelson/storagebackend'
import { namespace, samplePod } from './sample-pod.ts'
import { ask, startKeelson } from './server-under-test.ts'
import type { Scratch, ServerUnderTest } from './server-under-test.ts'

export interface DatasetSize {
  /** Pods of 8 KB with managed fields, "pod-000000" and on, in 50 groups by the label `group`. */
  readonly pods: number
  /** Config maps of 1 KB. */
  readonly configMaps: number
}

/** A data directory with objects in it. */
export interface Dataset extends DatasetSize {
  readonly directory: string
  /** Of all stored values of pods, in bytes. */
  readonly podBytes: number
}

export const groups = 50
/** What `withManagedFields` adds, about. */
const managedFieldsBytes = 1200
export const pods: string = `/api/v1/namespaces/${namespace}/pods`
export const configMaps: string = `/api/v1/namespaces/${namespace}/configmaps`
/** Names, labels and uids all have the same length, so that one stored value becomes another by writing over these. */
export const podName = (n: number): string => `pod-${String(n).padStart(6, '0')}`
export const configMapName = (n: number): string => `map-${String(n).padStart(6, '0')}`
export const groupName = (n: number): string => `group-${String(n % groups).padStart(2, '0')}`

/** One pod and one config map are made by the server itself; the others are copies of what it stored, written to its store while it is not running. */
export async function fillStore(scratch: Scratch, program: string, size: DatasetSize): Promise<Dataset> {
  const directory = scratch.directory(`data-${size.pods}-${size.configMaps}`)
  {
    await using server = await startKeelson(scratch, program, { dataDirectory: directory })
    await makeFirst(server)
  }
  await using store = await openEmbedded({ dataDir: directory })
  return { ...size, directory, podBytes: await copyFirst(store, size, { prefix: '/registry', together: 250, adapt: withManagedFields }) }
}

/** The same on etcd, under the server's prefix and its eyes. A transaction there has 128 operations at most. */
export async function fillEtcd(server: ServerUnderTest, url: string, prefix: string, size: DatasetSize): Promise<void> {
  await makeFirst(server)
  await using store = await openEtcd3({ transport: { serverList: [url] }, compactionInterval: 0 })
  await copyFirst(store, size, { prefix, together: 100, adapt: (value) => value })
}

const commitsAtOnce = 8

type FilledStore = Pick<Backend, 'get' | 'commit'>

interface CopyOptions {
  readonly prefix: string
  /** Objects in one transaction. */
  readonly together: number
  /** What is copied, made of what the server stored. */
  readonly adapt: (pod: Uint8Array) => Uint8Array
}

/** Resolves to the sum of the lengths of pods. */
async function copyFirst(store: FilledStore, size: DatasetSize, { prefix, together, adapt }: CopyOptions): Promise<number> {
  const pod = await read(store, `${prefix}/pods/${namespace}/${podName(0)}`)
  const podBytes = await copies(store, { key: pod.key, value: adapt(pod.value) }, { count: size.pods, together }, (n) => [
    [podName(0), podName(n)],
    [groupName(0), groupName(n)],
  ])
  const map = await read(store, `${prefix}/configmaps/${namespace}/${configMapName(0)}`)
  await copies(store, map, { count: size.configMaps, together }, (n) => [[configMapName(0), configMapName(n)]])
  return podBytes
}

async function makeFirst(server: ServerUnderTest): Promise<void> {
  const map = { metadata: { name: configMapName(0), namespace }, data: { text: 'a line that means nothing. '.repeat(32) } }
  for (const [target, object] of [...firstObjects(), [pods, podTemplate(podName(0), groupName(0))], [configMaps, map]] as const) {
    const { status, body } = await ask(server, 'POST', target, object)
    if (status !== 201 && status !== 409) throw new Error(`${target} answered ${status}: ${body.toString()}`)
  }
}

/** What has to be there before pods, and where it is made. */
export function firstObjects(): readonly (readonly [path: string, object: object])[] {
  return [
    ['/api/v1/namespaces', { metadata: { name: namespace } }],
    [`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }],
  ]
}

/** A pod as it is sent to be made. */
export function podTemplate(name: string, group: string): object {
  const pod = samplePod(name, 8192 - managedFieldsBytes) as { metadata: { labels: Record<string, string> } }
  pod.metadata.labels['group'] = group
  return pod
}

async function read(store: FilledStore, key: string): Promise<Entry> {
  const { entry } = await store.get(key)
  if (entry === undefined) throw new Error(`the server did not store ${key}`)
  return entry
}

const metadataEnds = Buffer.from('},"spec":{')

/** What a server that keeps none would have kept: the fields of everything that a client sets on such a pod. */
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

/** Resolves to the sum of the values' lengths. The first is written anew too. */
async function copies(
  store: FilledStore,
  first: Pick<Entry, 'key' | 'value'>,
  { count, together }: { readonly count: number; readonly together: number },
  changes: (n: number) => readonly (readonly [from: string, to: string])[],
): Promise<number> {
  const template = Buffer.from(first.value)
  const places = changes(0).map(([from]) => placesOf(template, from))
  const key = first.key.slice(0, -changes(0)[0]![0].length)
  let underWay: Promise<unknown>[] = []
  for (let from = 0; from < count; from += together) {
    const operations: Operation[] = []
    for (let n = from; n < Math.min(count, from + together); n++) {
      const copy = Buffer.from(template)
      const changed = changes(n)
      places.forEach((at, i) => at.forEach((place) => copy.write(changed[i]![1], place)))
      operations.push({ type: 'put', key: key + changed[0]![1], value: copy })
    }
    underWay.push(store.commit({ compare: [], operations }))
    // Some share a flush; no more of them, for what waits is held in memory.
    if (underWay.length < commitsAtOnce) continue
    await Promise.all(underWay)
    underWay = []
  }
  await Promise.all(underWay)
  return template.length * count
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at)
  return places
}
