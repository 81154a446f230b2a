import { createApiTypes, jsonKinds } from '@keelson/api'
import type { JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import { Scheme, selectEverything, parseFieldSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import type { OutboundRequest } from '@keelson/outbound'
import { createProtobufCodecs, createRecordCodecs, createUndecoratedStorage } from '@keelson/registry'
import type { CodecFactory } from '@keelson/registry'
import type { Backend, ObjectEvent, Storage } from '@keelson/storagebackend'
import { describe, expect, it } from 'vitest'
import type { CompiledVersion, DefinitionOutline } from './version-definition.ts'
import { VersionSchema } from './version-schema.ts'
import { VersionStorages } from './version-storages.ts'

interface Widget extends KubeObject {
  spec?: Record<string, unknown>
}

const group = 'example.com'
const key = '/registry/example.com/widgets/ns/a'

/** A version whose schema has these string fields in `spec`, with these defaults. */
interface Version {
  readonly fields: readonly string[]
  readonly defaults?: Readonly<Record<string, string>>
}

/** Calls a webhook: gets the body of a ConversionReview, and returns the converted objects or an error message. */
type Hook = (review: { readonly desiredAPIVersion: string; readonly objects: readonly Widget[] }) => readonly Widget[] | string

interface Opened {
  readonly versions: Readonly<Record<string, Version>>
  readonly storageVersion: string
  readonly hook?: Hook
}

class Versions {
  readonly #storages: VersionStorages
  readonly #versions: ReadonlyMap<string, CompiledVersion>

  constructor(backend: Backend, createCodec: CodecFactory, { versions, storageVersion, hook }: Opened) {
    const kind = 'Widget'
    this.#versions = new Map(
      Object.entries(versions).map(([name, { fields, defaults = {} }]) => {
        const gvk = { group, version: name, kind }
        const selectableFields = fields.map((field) => ({ jsonPath: `.spec.${field}` }))
        const outline = { name, served: true, storage: name === storageVersion, selectableFields }
        const schema = createSchema(fields, defaults)
        const source = { load: () => schema, loadText: () => JSON.stringify(schema), size: () => 0 }
        return [name, { gvk, outline, schema: new VersionSchema(gvk, source), scale: undefined }]
      }),
    )
    const webhook = { clientConfig: { url: 'https://127.0.0.1:1/convert' }, conversionReviewVersions: ['v1'] }
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', kind },
        conversion: hook === undefined ? { strategy: 'None' } : { strategy: 'Webhook', webhook },
      },
      status: { acceptedNames: { plural: 'widgets', kind } },
    } as unknown as DefinitionOutline
    this.#storages = new VersionStorages({
      definition,
      versions: this.#versions,
      restOptions: {
        backend,
        createCodec,
        decorator: createUndecoratedStorage,
        resourcePrefix: '/registry/example.com/widgets',
        deleteCollectionWorkers: 1,
      },
      createType: ({ gvk }) => jsonKinds({ group, version: gvk.version }, [{ kind }]).kinds[0]!,
      dialer: { client: () => ({ request: (request) => Promise.resolve(respond(hook!, request)), [Symbol.dispose]: () => undefined }) },
    })
  }

  getStorage(version: string): Storage {
    return this.#storages.getStorage(this.#versions.get(version)!)
  }

  asRead(version: string, object: KubeObject): KubeObject | Promise<KubeObject> {
    return this.#storages.asRead(this.#versions.get(version)!, object)
  }

  close(): Promise<void> {
    return this.#storages.close()
  }
}

function createSchema(fields: readonly string[], defaults: Readonly<Record<string, string>>): JSONSchemaProps {
  const properties = fields.map((field): [string, JSONSchemaProps] => {
    const value = defaults[field]
    return [field, { type: 'string', ...(value !== undefined && { default: value }) }]
  })
  return { type: 'object', properties: { spec: { type: 'object', properties: Object.fromEntries(properties) } } }
}

interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Widget[] }
}

function respond(hook: Hook, { body }: OutboundRequest): { failed: false; status: number; headers: Record<string, string>; body: Buffer } {
  const { request, ...type } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as Review
  const converted = hook(request)
  const response =
    typeof converted === 'string'
      ? { uid: request.uid, result: { status: 'Failure', message: converted } }
      : { uid: request.uid, convertedObjects: converted, result: { status: 'Success' } }
  return { failed: false, status: 200, headers: {}, body: Buffer.from(JSON.stringify({ ...type, response })) }
}

function open(backend: Backend, createCodec: CodecFactory, opened: Opened): Versions {
  return new Versions(backend, createCodec, opened)
}

const createWidget = (spec: Record<string, unknown>): Widget => ({
  metadata: { name: 'a', namespace: 'ns', uid: 'u', generation: 1 },
  spec,
})

/** Converts between `spec.host`, `spec.port` (v1) and `spec.address` (v2), like the webhook of a real operator. */
function createAddressHook(calls: string[] = []): Hook {
  return ({ desiredAPIVersion, objects }) => {
    const to = desiredAPIVersion.slice(group.length + 1)
    const converted: Widget[] = []
    for (const { spec = {}, ...object } of objects) {
      calls.push(`${object.apiVersion!.slice(group.length + 1)} to ${to}`)
      if (spec['host'] === 'bad' || spec['address'] === 'bad:1') return 'cannot be converted'
      const { host, port, address, ...rest } = spec
      const [first, second] = String(address).split(':')
      const moved = to === 'v2' ? { address: `${String(host)}:${String(port)}` } : { host: first, port: second }
      converted.push({ ...object, apiVersion: desiredAPIVersion, spec: { ...rest, ...moved } })
    }
    return converted
  }
}

const hosts = {
  v1: { fields: ['host', 'port', 'extra'], defaults: { extra: 'one' } },
  v2: { fields: ['address', 'extra'], defaults: { extra: 'two' } },
}

const types = createApiTypes([])
const codecs: Readonly<Record<string, CodecFactory>> = {
  records: createRecordCodecs({ schemaVersion: 1 }),
  'JSON as in etcd': createProtobufCodecs({ types, scheme: new Scheme() }),
}

describe.each(Object.entries(codecs))('versions stored as %s', (_name, createCodec) => {
  it('versions without a webhook are pruned by their own schema, and defaulted by the schema of the stored version', async () => {
    await using backend = openMemory()
    const versions = {
      v1: { fields: ['a', 'old'], defaults: { old: 'x' } },
      v2: { fields: ['a', 'new'], defaults: { new: 'y' } },
    }
    const storages = open(backend, createCodec, { versions, storageVersion: 'v2' })
    const [v1, v2] = [storages.getStorage('v1'), storages.getStorage('v2')]
    const created = await v1.create(key, createWidget({ a: '1', old: 'gone' }))
    expect((created.object() as Widget).spec).toEqual({ a: '1' })
    expect(((await v2.get(key)).object() as Widget).spec).toEqual({ a: '1', new: 'y' })
    const named = { labels: selectEverything(), fields: parseFieldSelector('spec.a=1') }
    expect([...(await v1.list('/registry/example.com/widgets/', { predicate: named })).items]).toHaveLength(1)
    await storages.close()
  })

  it.each([
    ['without', undefined],
    ['with', (({ desiredAPIVersion, objects }) => objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion }))) satisfies Hook],
  ])('versions %s a webhook store the defaults of the storage version with the second write', async (_strategy, hook) => {
    await using backend = openMemory()
    const versions = { v1: { fields: ['a'] }, v2: { fields: ['a', 'new'], defaults: { new: 'y' } } }
    const storages = open(backend, createCodec, { versions, storageVersion: 'v2', ...(hook && { hook }) })
    const [v1, v2] = [storages.getStorage('v1'), storages.getStorage('v2')]
    const created = await v1.create(key, createWidget({ a: '1' }))
    const updated = await v2.guaranteedUpdate(key, (current) => ({ object: current! }))
    expect((updated.object() as Widget).spec).toEqual({ a: '1', new: 'y' })
    expect(updated.revision).toBeGreaterThan(created.revision)
    const again = await v2.guaranteedUpdate(key, (current) => ({ object: current! }))
    expect(again.revision).toBe(updated.revision)
    await storages.close()
  })

  it('versions without a webhook share the bytes of objects that no schema changes', async () => {
    await using backend = openMemory()
    const versions = { v1: { fields: ['a'] }, v2: { fields: ['a'] } }
    const storages = open(backend, createCodec, { versions, storageVersion: 'v2' })
    await storages.getStorage('v2').create(key, createWidget({ a: '1' }))
    const [one, other] = [await storages.getStorage('v1').get(key), await storages.getStorage('v2').get(key)]
    expect(one).toBe(other)
    await storages.close()
  })

  it('a webhook converts objects, and an update without changes writes an object of an old storage version again', async () => {
    await using backend = openMemory()
    const before = open(backend, createCodec, { versions: hosts, storageVersion: 'v1', hook: createAddressHook() })
    await before.getStorage('v1').create(key, createWidget({ host: 'h', port: '80', extra: 'e' }))
    await before.close()
    const calls: string[] = []
    const after = open(backend, createCodec, { versions: hosts, storageVersion: 'v2', hook: createAddressHook(calls) })
    const [v1, v2] = [after.getStorage('v1'), after.getStorage('v2')]
    const { revision } = await v1.get(key)
    expect(calls).toEqual([])
    expect(((await v2.get(key)).object() as Widget).spec).toEqual({ address: 'h:80', extra: 'e' })
    expect(calls.splice(0)).toEqual(['v1 to v2'])
    const rewritten = await v1.guaranteedUpdate(key, (current) => ({ object: current! }))
    expect(rewritten.revision).toBeGreaterThan(revision)
    expect(calls.splice(0)).toEqual(['v1 to v2', 'v2 to v1'])
    const again = await v2.guaranteedUpdate(key, (current) => ({ object: current! }))
    expect([again.revision, calls]).toEqual([rewritten.revision, []])
    await after.close()
  })

  it('a failed conversion has the error text of the webhook, and does not delete the object', async () => {
    await using backend = openMemory()
    const storages = open(backend, createCodec, { versions: hosts, storageVersion: 'v2', hook: createAddressHook() })
    const [v1, v2] = [storages.getStorage('v1'), storages.getStorage('v2')]
    await v2.create(key, createWidget({ address: 'bad:1' }))
    const failure = {
      name: 'StorageError',
      code: 'ConversionFailed',
      message: expect.stringMatching(/^conversion webhook for example.com\/v[12], Kind=Widget failed: cannot be converted$/) as string,
    }
    await expect(v1.get(key)).rejects.toMatchObject(failure)
    await expect(v1.list('/registry/example.com/widgets/')).rejects.toMatchObject(failure)
    await expect(v1.guaranteedUpdate(key, (current) => ({ object: current! }))).rejects.toMatchObject(failure)
    await expect(v1.create(`${key}b`, createWidget({ host: 'bad', port: '1' }))).rejects.toMatchObject(failure)
    await expect(v1.delete(key)).rejects.toMatchObject(failure)
    expect(((await v2.get(key)).object() as Widget).spec).toEqual({ address: 'bad:1' })
    await storages.close()
  })

  it('watches send events in order, and the last state of a deleted object in their own version', async () => {
    await using backend = openMemory()
    const storages = open(backend, createCodec, { versions: hosts, storageVersion: 'v2', hook: createAddressHook() })
    const [v1, v2] = [storages.getStorage('v1'), storages.getStorage('v2')]
    const { revision } = await v2.create(`${key}0`, createWidget({ address: 'z:0' }))
    const stop = new AbortController()
    const watch = await v1.watch('/registry/example.com/widgets/', { resourceVersion: String(revision), signal: stop.signal })
    await v2.create(key, createWidget({ address: 'a:1', extra: 'two' }))
    await v1.guaranteedUpdate(key, () => ({ object: createWidget({ host: 'b', port: '2' }) }))
    const deleted = await v1.delete(key)
    const events: ObjectEvent[] = []
    for await (const batch of watch) {
      events.push(...batch)
      if (events.length === 3) break
    }
    stop.abort()
    expect(events.map((event) => [event.type, event.type !== 'BOOKMARK' && (event.object.object() as Widget).spec])).toEqual([
      ['ADDED', { host: 'a', port: '1', extra: 'two' }],
      ['MODIFIED', { host: 'b', port: '2', extra: 'two' }],
      ['DELETED', { host: 'b', port: '2', extra: 'two' }],
    ])
    expect((deleted.object() as Widget).spec).toEqual({ host: 'b', port: '2', extra: 'two' })
    await storages.close()
  })

  it('an object of a version that no longer exists is rejected', async () => {
    await using backend = openMemory()
    const old = open(backend, createCodec, { versions: { v0: { fields: ['a'] } }, storageVersion: 'v0' })
    await old.getStorage('v0').create(key, createWidget({ a: '1' }))
    await old.close()
    for (const hook of [undefined, createAddressHook()]) {
      const storages = open(backend, createCodec, { versions: hosts, storageVersion: 'v2', ...(hook && { hook }) })
      await expect(storages.getStorage('v2').get(key)).rejects.toMatchObject({
        code: 'ConversionFailed',
        message: 'request to convert CR from an invalid group/version: example.com/v0',
      })
      await storages.close()
    }
  })
})

it('an object that was written with an old schema is pruned and defaulted, and written again only if it changes', async () => {
  await using backend = openMemory()
  const createCodec = codecs['records']!
  const before = { v1: { fields: ['a', 'b'] } }
  const old = open(backend, createCodec, { versions: before, storageVersion: 'v1' })
  const { revision } = await old.getStorage('v1').create(key, createWidget({ a: '1', b: '2' }))
  const same = open(backend, createCodec, { versions: { v1: { fields: ['b', 'a'] } }, storageVersion: 'v1' })
  const unchanged = await same.getStorage('v1').guaranteedUpdate(key, (current) => ({ object: current! }))
  expect(unchanged.revision).toBe(revision)
  const versions = { v1: { fields: ['a', 'c'], defaults: { c: '3' } } }
  const changed = open(backend, createCodec, { versions, storageVersion: 'v1' }).getStorage('v1')
  expect(((await changed.get(key)).object() as Widget).spec).toEqual({ a: '1', c: '3' })
  const written = await changed.guaranteedUpdate(key, (current) => ({ object: current! }))
  expect(written.revision).toBeGreaterThan(revision)
})

it('a dry run returns the object as it would be read', async () => {
  await using backend = openMemory()
  const opened = { versions: hosts, storageVersion: 'v2' }
  const relabelled = open(backend, codecs['records']!, opened)
  expect(((await relabelled.asRead('v2', createWidget({ address: 'a' }))) as Widget).spec).toEqual({ address: 'a', extra: 'two' })
  expect(((await relabelled.asRead('v1', createWidget({ host: 'h', extra: 'e' }))) as Widget).spec).toEqual({ extra: 'e' })
  const converted = open(backend, codecs['records']!, { ...opened, hook: createAddressHook() })
  expect(((await converted.asRead('v1', createWidget({ host: 'h', port: '1' }))) as Widget).spec).toEqual({
    host: 'h',
    port: '1',
    extra: 'two',
  })
  expect(((await converted.asRead('v2', createWidget({ address: 'a' }))) as Widget).spec).toEqual({ address: 'a', extra: 'two' })
  await expect(converted.asRead('v1', createWidget({ host: 'bad' }))).rejects.toMatchObject({ code: 'ConversionFailed' })
})
