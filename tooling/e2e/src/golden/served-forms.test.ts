// Needs the recordings in ../shared/golden; skipped without them.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { JsonObject } from '@keelson/apimachinery'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Http2Client } from '../http2-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { sharedDirectory } from '../repository-root.ts'
import { formatApiVersion, buildCollectionPath, readServedResources } from '../served-resources.ts'
import type { ServedResource } from '../served-resources.ts'
import { hasRecordings } from './play.ts'
import { readCases } from './read-cases.ts'
import { ask, toClientObject, readBothEncodings, removeVariableValues, forms } from './served-forms.ts'
import type { ServedObject } from './served-forms.ts'

type Case = readonly [title: string, object: JsonObject]

const golden = path.join(sharedDirectory, 'golden')
const namespace = 'forms'

/**
 * Returns recorded pairs of JSON and protobuf objects that set every field of their kind. Servers reject many of these objects, because
 * some fields exclude each other. The error must be the same in both encodings.
 */
function listCodecPairs(): Case[] {
  return readdirSync(path.join(golden, 'codec'))
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name.replace('.json', ''), JSON.parse(readFileSync(path.join(golden, 'codec', name), 'utf8')) as JsonObject])
}

function listStoredValues(): Case[] {
  return readFileSync(path.join(golden, 'etcd-values.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly key: string; readonly object?: JsonObject })
    .flatMap(({ key, object }) => (object === undefined ? [] : [[key, object]]))
}

function listCreatedObjects(): Case[] {
  return readCases(['objects.jsonl'])
    .filter(({ id, setup, steps }) => setup !== true && id.startsWith('create/') && steps[0]!.expect.code === 201)
    .map(({ id, steps }) => [id, steps[0]!.body as JsonObject])
}

/** Kinds whose objects controllers of the server change right after they are created. They are only created in a dry run. */
const kindsOfControllers: ReadonlySet<string> = new Set(['CustomResourceDefinition'])

describe.skipIf(!hasRecordings)('objects have the same result in JSON and in protobuf', { timeout: 5_000 }, () => {
  let server: KeelsonProcess
  let client: Http2Client
  let resources: ReadonlyMap<string, ServedResource>

  beforeAll(async () => {
    server = await startKeelsonProcess({ controllers: 'none', flags: ['--runtime-config=api/all=true'] })
    client = new Http2Client(server.url, server.token)
    const served = await readServedResources(async (path) => (await ask(client, 'GET', path)).body)
    resources = new Map(served.map((resource) => [`${formatApiVersion(resource)} ${resource.kind}`, resource]))
    await make('/api/v1/namespaces', 'Namespace', namespace)
    for (const name of ['default', 'serviceAccountNameValue'])
      await make(`/api/v1/namespaces/${namespace}/serviceaccounts`, 'ServiceAccount', name)
  })
  afterAll(async () => {
    client[Symbol.dispose]()
    await server.stop()
  })

  async function make(at: string, kind: string, name: string): Promise<void> {
    await ask(client, 'POST', at, { object: { apiVersion: 'v1', kind, metadata: { name } }, form: forms.json })
  }

  async function remove(at: string): Promise<void> {
    const body = Buffer.from(JSON.stringify({ metadata: { finalizers: null } }))
    await client.request('PATCH', at, { body, headers: { 'content-type': 'application/merge-patch+json' } })
    await client.request('DELETE', `${at}?gracePeriodSeconds=0&propagationPolicy=Background`)
    // A namespace is not deleted, because no namespace controller runs.
    const { code, body: left } = await ask(client, 'GET', at)
    if (code !== 200) return
    const object = { ...left, spec: { finalizers: [] } } as unknown as ServedObject
    await ask(client, 'PUT', `${at}/finalize`, { object, form: forms.json })
  }

  /** Finds the resource of a kind. Returns undefined if the kind is not served or cannot be created by clients. */
  function findCreatableResource(object: JsonObject): ServedResource | undefined {
    const { apiVersion, kind } = object as ServedObject
    const resource = resources.get(`${apiVersion} ${kind}`)
    return resource?.verbs.includes('create') ? resource : undefined
  }

  async function hold(object: JsonObject): Promise<void> {
    const resource = findCreatableResource(object)
    if (resource === undefined) return
    const sent = toClientObject(object, resource.namespaced ? namespace : undefined)
    const collection = buildCollectionPath(resource, namespace)
    const [asJson, asProtobuf] = await Promise.all(
      Object.values(forms).map((form) => ask(client, 'POST', `${collection}?dryRun=All`, { object: sent, form })),
    )
    expect(removeVariableValues(asProtobuf!)).toEqual(removeVariableValues(asJson!))
    if (asJson!.code !== 201 || !resource.verbs.includes('get') || kindsOfControllers.has(String(object['kind']))) return
    const at = `${collection}/${asJson!.body.metadata.name}`
    const read = []
    for (const form of Object.values(forms)) {
      expect((await ask(client, 'POST', collection, { object: sent, form })).code).toBe(201)
      const { served, encoded, object: got } = await readBothEncodings(client, at)
      expect(served).toEqual(encoded)
      read.push(removeVariableValues(got))
      if (resource.subresources.includes('status'))
        await holdStatus(at, { ...got.body, ...(object['status'] !== undefined && { status: object['status'] }) } as ServedObject)
      await remove(at)
    }
    expect(read[1]).toEqual(read[0])
    expect({ ...read[0], code: 201 }).toEqual(removeVariableValues(asJson!))
  }

  async function holdStatus(at: string, object: ServedObject): Promise<void> {
    const answers = []
    for (const form of Object.values(forms)) {
      const current = (await ask(client, 'GET', at)).body
      const { resourceVersion } = current.metadata
      const sent = { ...object, metadata: { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) } }
      answers.push(removeVariableValues(await ask(client, 'PUT', `${at}/status`, { object: sent as ServedObject, form })))
    }
    expect(answers[1]).toEqual(answers[0])
    const { served, encoded } = await readBothEncodings(client, at)
    expect(served).toEqual(encoded)
  }

  test.each(hasRecordings ? listCodecPairs() : [])('gives the same result for the pair %s', (_title, object) => hold(object))
  test.each(hasRecordings ? listStoredValues() : [])('gives the same result for the stored object %s', (_title, object) => hold(object))
  test.each(hasRecordings ? listCreatedObjects().filter(([, object]) => !hasChangingStatus(object)) : [])(
    'gives the same result for the created object %s',
    (_title, object) => hold(object),
  )
})

/** Returns whether the server itself changes the status of an object at any time: that of APIServices that other servers provide. */
function hasChangingStatus(object: { readonly kind?: unknown; readonly spec?: unknown }): boolean {
  return object.kind === 'APIService' && typeof object.spec === 'object' && object.spec !== null && 'service' in object.spec
}
