import { existsSync, readFileSync } from 'node:fs'
import { createApiTypes, encodeUnknown, hasProtoMagic, jsonKinds } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { createProtobufCodecs, RecentRecords } from './codecs.ts'

/** Recorded values of kube-apiserver in `../shared`, which is not part of the repository. Tests that need them are skipped without it. */
const file = new URL('../../../../shared/golden/etcd-values.ndjson', import.meta.url)

const types = createApiTypes([coreV1, eventsV1])
const scheme = new Scheme()
const createGvk = (kind: string, version = 'v1', group = ''): { group: string; version: string; kind: string } => ({ group, version, kind })
scheme.register({
  gvk: createGvk('Event', 'v1', 'events.k8s.io'),
  hub: createGvk('Event'),
  toHub: (object) => ({ ...object, reason: 'converted' }) as KubeObject,
})
scheme.register({
  gvk: createGvk('Secret'),
  hub: createGvk('Secret'),
  setDefaults: (object) => void ((object as { type?: string }).type ||= 'Opaque'),
})

const codecs = createProtobufCodecs({ types, scheme })
const createCodec = (kind: string): ReturnType<typeof codecs> => codecs({ kind: types.kind(createGvk(kind))!, selectableFields: {} })

describe('createProtobufCodecs', () => {
  const configMap = {
    metadata: { name: 'a', namespace: 'ns', labels: { app: 'x' }, resourceVersion: '9' },
    data: { key: 'value' },
  } as KubeObject

  it('writes protobuf without kind, apiVersion and resourceVersion in the message, and reads it back', () => {
    const codec = createCodec('ConfigMap')
    const value = codec.encode({ kind: 'Other', apiVersion: 'v2', ...configMap })
    expect(hasProtoMagic(value)).toBe(true)
    expect(value).toEqual(codec.encode({ ...configMap, metadata: { ...configMap.metadata, resourceVersion: '10' } }))
    const stored = codec.open('/registry/configmaps/ns/a', value, 7)
    expect(stored.object()).toEqual({ metadata: { ...configMap.metadata, resourceVersion: '7' }, data: { key: 'value' } })
    expect([stored.labels, stored.field('metadata.name'), stored.revision]).toEqual([{ app: 'x' }, 'a', 7])
  })

  it('distinguishes the versions of one key, and returns a separate copy to each reader', () => {
    const codec = createCodec('ConfigMap')
    const value = codec.encode(configMap)
    const key = '/registry/configmaps/ns/a'
    codec.open(key, value, 7).copy().metadata.name = 'changed'
    const cachedObject = codec.open(key, Buffer.from(value), 8)
    expect([cachedObject.copy().metadata.name, cachedObject.copy().metadata.resourceVersion]).toEqual(['a', '8'])
    const later = codec.encode({ ...configMap, data: { key: 'other' } } as KubeObject)
    expect(codec.open(key, later, 8).copy()).toMatchObject({ data: { key: 'other' } })
    expect(codec.open(key, value, 9).copy()).toMatchObject({ data: { key: 'value' } })
  })

  it('reads values in JSON', () => {
    const json = Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { b: 'c' } }))
    expect(createCodec('ConfigMap').open('/k', json, 3).copy()).toEqual({ metadata: { name: 'a', resourceVersion: '3' }, data: { b: 'c' } })
  })

  it('writes JSON with kind and apiVersion, for kinds without protobuf', () => {
    const [kind] = jsonKinds({ group: 'example.com', version: 'v2' }, [{ kind: 'Widget' }]).kinds
    const schemaVersion = 1
    const refresh = (): void => undefined
    const codec = codecs({ kind: kind!, selectableFields: {}, versions: { current: 'v2', schemaVersion, refresh } })
    const value = codec.encode({ metadata: { name: 'a', resourceVersion: '7' }, spec: { x: 1 } } as KubeObject)
    expect(JSON.parse(Buffer.from(value).toString())).toEqual({
      kind: 'Widget',
      apiVersion: 'example.com/v2',
      metadata: { name: 'a' },
      spec: { x: 1 },
    })
    const old = Buffer.from(Buffer.from(value).toString().replace('/v2', '/v1'))
    expect([codec.open('/k', value, 1).storedVersion, codec.open('/k', old, 1).storedVersion]).toEqual(['v2', 'v1'])
  })

  it('sets defaults of stored values and converts them', () => {
    const secret = encodeUnknown(createGvk('Secret'), types.kind(createGvk('Secret'))!.encodeProto({ metadata: { name: 's' } }))
    expect(createCodec('Secret').open('/k', secret, 1).object()).toMatchObject({ type: 'Opaque' })
    const modern = createGvk('Event', 'v1', 'events.k8s.io')
    const event = encodeUnknown(modern, types.kind(modern)!.encodeProto({ metadata: { name: 'e' } }))
    expect(createCodec('Event').open('/k', event, 1).object()).toMatchObject({ reason: 'converted' })
  })

  it.each([
    ['bytes of no form', Buffer.from([1, 2, 3])],
    ['nothing', Buffer.alloc(0)],
    ['JSON that is no object', Buffer.from('[1]')],
    ['JSON without a kind', Buffer.from('{"metadata":{"name":"a"}}')],
    ['a cut message', createCodec('ConfigMap').encode(configMap).subarray(0, 30)],
    ['another kind', createCodec('Pod').encode({ metadata: { name: 'a' } })],
    ['an unknown kind', encodeUnknown(createGvk('Nothing'), new Uint8Array())],
    ['an object without a name', createCodec('ConfigMap').encode({ metadata: {} })],
  ])('refuses %s', (_what, value) => {
    expect(() => createCodec('ConfigMap').open('/registry/configmaps/ns/a', value, 1)).toThrow(
      expect.objectContaining({ name: 'CorruptObjectError', message: expect.stringContaining('/registry/configmaps/ns/a') as string }),
    )
  })
})

describe.skipIf(!existsSync(file))('values that kube-apiserver stored', () => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const values = lines
    .map((line) => JSON.parse(line) as { key: string; value: string; object?: KubeObject; modRevision: number })
    .filter(({ object }) => object?.apiVersion === 'v1' && types.kind(createGvk(object.kind!)))

  it('the recording has at least eleven values', () => expect(values.length).toBeGreaterThan(10))

  it.each(values)(
    'decode $key to the object that kube-apiserver served, and encode it to the same bytes',
    ({ key, value, object, modRevision }) => {
      const bytes = Buffer.from(value, 'base64')
      const codec = createCodec(object!.kind!)
      const stored = codec.open(key, bytes, modRevision)
      const { kind: _kind, apiVersion: _apiVersion, ...members } = object!
      if (object!.kind !== 'PersistentVolumeClaim')
        expect(stored.object()).toEqual({ ...members, metadata: { ...members.metadata, resourceVersion: String(modRevision) } })
      expect(Buffer.compare(codec.encode(stored.copy()), bytes)).toBe(0)
    },
  )

  const unnamed = lines
    .map((line) => JSON.parse(line) as { key: string; value: string; modRevision: number })
    .filter(({ key }) => /^\/registry\/(ranges|masterleases)\//.test(key))

  it.each(unnamed)('$key gets the name of its object from its key', ({ key, value, modRevision }) => {
    const kind = key.includes('/ranges/') ? 'RangeAllocation' : 'Endpoints'
    const codec = codecs({ kind: types.kind(createGvk(kind))!, selectableFields: {}, namedByKey: true })
    const stored = codec.open(key, Buffer.from(value, 'base64'), modRevision)
    expect(stored.object().metadata.name).toBe(key.split('/').at(-1))
    expect(Buffer.from(codec.encode(stored.copy())).toString('base64')).toBe(value)
  })
})

const maker = {}
const encodeText = (text: string): Uint8Array => Buffer.from(text)

it('finds a cached record only for the same key, value and codec', () => {
  const recent = new RecentRecords()
  const record = encodeText('record')
  recent.set(maker, '/a', encodeText('value'), record)
  expect(recent.get(maker, '/a', encodeText('value'))).toBe(record)
  expect(recent.get(maker, '/a', encodeText('other'))).toBeUndefined()
  expect(recent.get(maker, '/b', encodeText('value'))).toBeUndefined()
  expect(recent.get({}, '/a', encodeText('value'))).toBeUndefined()
})

it('keeps only the newest record of each key, and drops the oldest records above its size limit', () => {
  const recent = new RecentRecords(30)
  const set = (key: string, value: string): void => recent.set(maker, key, encodeText(value), encodeText(value))
  const hasRecord = (key: string, value: string): boolean => recent.get(maker, key, encodeText(value)) !== undefined
  set('/a', '1')
  set('/a', '22222')
  expect([hasRecord('/a', '1'), hasRecord('/a', '22222')]).toEqual([false, true])
  set('/b', '33333')
  set('/c', '44444')
  expect([hasRecord('/a', '22222'), hasRecord('/b', '33333'), hasRecord('/c', '44444')]).toEqual([true, true, true])
  set('/b', '55555')
  set('/d', '66666')
  expect([hasRecord('/a', '22222'), hasRecord('/b', '55555'), hasRecord('/c', '44444'), hasRecord('/d', '66666')]).toEqual([
    false,
    true,
    true,
    true,
  ])
  set('/e', '7'.repeat(31))
  expect([hasRecord('/d', '66666'), hasRecord('/e', '7'.repeat(31))]).toEqual([false, false])
})
