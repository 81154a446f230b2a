import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject, ManagedFieldsEntry, ObjectMeta } from '@keelson/apimachinery'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { sharedDirectory } from '../repository-root.ts'
import { extractManagedFields } from './managed-fields.ts'

// Recordings of kube-apiserver in ../shared. They are not part of the repository.
const recordedFile = path.join(sharedDirectory, 'golden/etcd-values.ndjson')
const binary = findEtcd()
const missing = binary === undefined || !existsSync(recordedFile)

interface Recorded {
  readonly key: string
  readonly path: string
  readonly value: string
  readonly object: JsonObject & { readonly metadata: ObjectMeta }
}

function readRecorded(): Recorded[] {
  return readFileSync(recordedFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Partial<Recorded>)
    .filter((one): one is Recorded => one.object !== undefined)
}

/**
 * Recorded objects that are not compared, each with the reason. A create request with the fields of their manager does not reproduce these
 * objects.
 */
const exceptions: Readonly<Record<string, string>> = {
  '/registry/pods/gs-admission-limits/ok': 'the limit range added to resources, which the client sent empty',
  '/registry/pods/gs-admission-pods/b': 'the level of its namespace was raised later',
  '/registry/pods/gs-admission-pods/d': 'the level of its namespace was raised later',
  '/registry/services/specs/gs-create-on-update/s': 'its address is random',
}

/** Returns whether one client created the object and nobody changed it afterwards. */
function isOneCreate({ key, object: { metadata } }: Recorded): boolean {
  const [entry, ...others] = metadata.managedFields ?? []
  if (entry?.manager !== 'unknown' || entry.operation !== 'Update' || entry.subresource !== undefined || others.length > 0) return false
  if (entry.time !== metadata.creationTimestamp || metadata.deletionTimestamp !== undefined) return false
  return (metadata.generation ?? 1) === 1 && exceptions[key] === undefined
}

/** Returns whether kube-apiserver itself wrote the object, once, and the object does not contain kube-apiserver's port. */
function isOwn({ object }: Recorded): boolean {
  const { managedFields = [] } = object.metadata
  return managedFields.length === 1 && managedFields[0]!.manager === 'kube-apiserver' && !JSON.stringify(object).includes(':26443')
}

/** Returns the position of an object in the order of creation. Referenced objects come first. */
function rank({ key }: Recorded): number {
  return key.startsWith('/registry/namespaces/') ? 0 : key.startsWith('/registry/priorityclasses/') ? 1 : 2
}

/** Reconstructs the create request of a recorded object. It contains the fields of the client's manager and fields without a manager. */
function reconstructRequest({ object }: Recorded): JsonObject {
  const [entry] = object.metadata.managedFields as [ManagedFieldsEntry]
  const { kind, apiVersion, metadata } = object
  const part = extractManagedFields(object, entry.fieldsV1 as unknown as JsonObject) as JsonObject
  const { name, namespace } = metadata
  return {
    ...part,
    kind: kind!,
    apiVersion: apiVersion!,
    metadata: { ...(part['metadata'] as JsonObject | undefined), name: name!, ...(namespace === undefined ? {} : { namespace }) },
  }
}

const tokenVolume = /kube-api-access-[a-z0-9]{5}/

/**
 * Replaces the uid, the creation time and the name of the token volume in stored bytes by the recorded values, which have the same length.
 */
function withRecordedValues(bytes: Buffer, ownObject: JsonObject & { readonly metadata: ObjectMeta }, recorded: Recorded): Buffer {
  const { metadata } = recorded.object
  const replaced: (readonly [Buffer, Buffer])[] = [
    [Buffer.from(ownObject.metadata.uid!), Buffer.from(metadata.uid!)],
    [encodeSeconds(ownObject.metadata.creationTimestamp!), encodeSeconds(metadata.creationTimestamp!)],
  ]
  // A second may pass between the creation time and the time of the managed fields.
  const [managed] = ownObject.metadata.managedFields ?? []
  const [recordedManaged] = metadata.managedFields ?? []
  if (managed?.time !== undefined && managed.time !== ownObject.metadata.creationTimestamp)
    replaced.push([encodeSeconds(managed.time), encodeSeconds(recordedManaged!.time!)])
  const volume = tokenVolume.exec(JSON.stringify(ownObject))?.[0]
  if (volume !== undefined) replaced.push([Buffer.from(volume), Buffer.from(tokenVolume.exec(JSON.stringify(recorded.object))![0])])
  return replaced.reduce((changed, [from, to]) => replaceAll(changed, from, to), bytes)
}

function replaceAll(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  expect(to.length).toBe(from.length)
  const result = Buffer.from(bytes)
  for (let at = result.indexOf(from); at >= 0; at = result.indexOf(from, at + to.length)) to.copy(result, at)
  return result
}

/** Encodes a time like protobuf's Timestamp: field 1 contains the seconds as a varint. */
function encodeSeconds(time: string): Buffer {
  const bytes = [0x08]
  let remaining = BigInt(Date.parse(time) / 1000)
  for (; remaining >= 0x80n; remaining >>= 7n) bytes.push(Number(remaining & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(remaining)])
}

describe.skipIf(missing)('values that the built server writes to etcd', { timeout: 60_000 }, () => {
  let etcd: EtcdProcess
  let client: Etcd3
  let server: KeelsonProcess
  let http: HttpsClient

  beforeAll(async () => {
    etcd = await startEtcd(binary ?? '')
    client = new Etcd3({ hosts: etcd.url })
    const flags = ['--storage-backend=etcd3', `--etcd-servers=${etcd.url}`]
    server = await startKeelsonProcess({ flags, controllers: 'serviceaccount-controller' })
    http = new HttpsClient(server.url, server.token, 4)
  })
  afterAll(async () => {
    http[Symbol.dispose]()
    await server.stop()
    client.close()
    await etcd[Symbol.asyncDispose]()
  })

  test('created objects have the recorded keys and bytes, except for uid and time', async () => {
    const recorded = readRecorded()
      .filter(isOneCreate)
      .toSorted((a, b) => rank(a) - rank(b))
    const differing: string[] = []
    for (const one of recorded) {
      const { key, object, value } = one
      const { namespace } = object.metadata
      if (namespace !== undefined) await ensureNamespace(namespace)
      const collection = one.path.slice(0, one.path.lastIndexOf('/'))
      const answer = await http.request('POST', `${collection}?fieldManager=unknown`, { body: reconstructRequest(one) })
      expect(answer.status, `${key}: ${answer.text}`).toBe(201)
      const stored = await client.get(key).buffer()
      expect(stored, key).not.toBeNull()
      const isSame = withRecordedValues(stored!, answer.parseJson<Recorded['object']>(), one).equals(Buffer.from(value, 'base64'))
      if (!isSame) differing.push(`${key} ${answer.text}`)
    }
    expect(differing).toEqual([])
    expect(recorded.length).toBeGreaterThan(40)
  })

  test("the server's own objects and addresses have the recorded bytes, except for uid and time", async () => {
    const compared: string[] = []
    const differing: string[] = []
    for (const recorded of readRecorded().filter(isOwn)) {
      const stored = await client.get(recorded.key).buffer()
      if (stored === null) continue
      compared.push(recorded.key)
      const answer = await http.request('GET', recorded.path)
      const isSame = withRecordedValues(stored, answer.parseJson<Recorded['object']>(), recorded).equals(
        Buffer.from(recorded.value, 'base64'),
      )
      if (!isSame) differing.push(`${recorded.key} ${answer.text}`)
    }
    expect(differing).toEqual([])
    expect(compared).toEqual(
      expect.arrayContaining([
        '/registry/ipaddresses/10.0.0.1',
        '/registry/ipaddresses/10.0.99.1',
        '/registry/namespaces/default',
        '/registry/priorityclasses/system-cluster-critical',
      ]),
    )
  })

  /** Creates a namespace and waits for the service account that pods need. */
  async function ensureNamespace(name: string): Promise<void> {
    await http.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } })
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`
    await expect.poll(async () => (await http.request('GET', account)).status, { timeout: 10_000 }).toBe(200)
  }
})
