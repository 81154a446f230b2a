import type { KubeObject } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRecordCodec, findSplice } from './record-codec.ts'

interface Thing extends KubeObject {
  spec?: unknown
}

const codec = createRecordCodec<Thing>({
  kind: 'Thing',
  schemaVersion: 3,
  selectableFields: { 'spec.x': (o) => String((o.spec as { x?: unknown })?.x ?? '') },
})

const anyObject = fc.record(
  {
    metadata: fc.record(
      {
        name: fc.string({ minLength: 1 }),
        namespace: fc.string(),
        uid: fc.string(),
        generateName: fc.string(),
        labels: fc.dictionary(
          fc.stringMatching(/^[a-z/."]{1,8}$/),
          fc.string({ unit: 'binary' }).filter((s) => s.isWellFormed()),
          { noNullPrototype: true },
        ),
        creationTimestamp: fc.string(),
      },
      { requiredKeys: ['name'], noNullPrototype: true },
    ),
    spec: fc.oneof(fc.jsonValue(), fc.record({ x: fc.string() }, { noNullPrototype: true })),
    data: fc.jsonValue(),
  },
  { requiredKeys: ['metadata'], noNullPrototype: true },
)
const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a record', () => {
  it('a record decodes to the same object, with its labels and selectable fields', () => {
    fc.assert(
      fc.property(anyObject, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (object, revision) => {
        const stored = codec.open('/k', codec.encode({ kind: 'Thing', apiVersion: 'v1', ...object }), revision)
        const expected = toPlain(object) as Thing
        expect(stored.object()).toEqual({ ...expected, metadata: { ...expected.metadata, resourceVersion: String(revision) } })
        expect(stored.labels).toEqual(expected.metadata.labels)
        expect(stored.field('metadata.name')).toBe(expected.metadata.name)
        expect(stored.field('metadata.namespace')).toBe(expected.metadata.namespace ?? '')
        expect(stored.field('spec.unknown')).toBe('')
        const body = Buffer.from(stored.body)
        const spliced = Buffer.concat([
          body.subarray(0, stored.spliceAt),
          Buffer.from(`,"resourceVersion":"${revision}"`),
          body.subarray(stored.spliceAt),
        ])
        expect(JSON.parse(spliced.toString())).toEqual(stored.object())
      }),
    )
  })

  it('equal objects have records with the same bytes', () => {
    const a = { metadata: { name: 'a', labels: { x: '1', y: '2' }, resourceVersion: '5' }, spec: { b: [1, { d: 1, c: 2 }], a: null } }
    const b = { spec: { a: null, b: [1, { c: 2, d: 1 }] }, metadata: { labels: { y: '2', x: '1' }, name: 'a' } }
    expect(codec.encode(a)).toEqual(codec.encode(b))
  })

  it('a record with another schema version is converted when it is decoded', () => {
    const old = createRecordCodec<Thing>({ kind: 'Thing', schemaVersion: 2 }).encode({ metadata: { name: 'a' }, spec: { x: 'old' } })
    const upgrading = createRecordCodec<Thing>({
      kind: 'Thing',
      schemaVersion: 3,
      selectableFields: { 'spec.x': (o) => (o.spec as { x: string }).x },
      upgrade: (object, version) => ({ ...object, spec: { x: `from ${version}` } }),
    })
    const stored = upgrading.open('/k', old, 7)
    expect([stored.field('spec.x'), stored.revision]).toEqual(['from 2', 7])
    // Without an upgrade function the object stays the same, but its selectable fields are computed again.
    expect(codec.open('/k', old, 7).field('spec.x')).toBe('old')
  })

  it('a record has at most 65,534 labels, and fields of at most 65,535 bytes', () => {
    const withField = (x: string): Thing => ({ metadata: { name: 'a' }, spec: { x } })
    const withLabels = (length: number): Thing => ({
      metadata: { name: 'a', labels: Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, ''])) },
    })
    expect(codec.open('/things/a', codec.encode(withField('x'.repeat(0xffff))), 1).field('spec.x')).toHaveLength(0xffff)
    expect(Object.keys(codec.open('/things/a', codec.encode(withLabels(0xfffe)), 1).labels!)).toHaveLength(0xfffe)
    const tooLarge = expect.objectContaining({ name: 'StorageError', code: 'ObjectTooLarge' })
    expect(() => codec.encode(withField('x'.repeat(0x1_0000)))).toThrow(tooLarge)
    expect(() => codec.encode(withLabels(0xffff))).toThrow(tooLarge)
  })

  it('refuses an invalid record', () => {
    const validRecord = codec.encode({ metadata: { name: 'a' } })
    for (const bytes of [
      new Uint8Array(0),
      Buffer.from('{"metadata":{}}'),
      Buffer.from('k8s\0proto and then some more'),
      validRecord.subarray(0, 24),
    ]) {
      expect(() => codec.open('/k', bytes, 1)).toThrow(expect.objectContaining({ name: 'CorruptObjectError' }))
    }
  })
})

describe('a record of a custom resource', () => {
  const createCodec = (current: string, schemaVersion: number, relabels: boolean): ReturnType<typeof createRecordCodec<Thing>> =>
    createRecordCodec<Thing>({
      kind: 'Thing',
      schemaVersion,
      selectableFields: { 'spec.x': (o) => String((o.spec as { x?: unknown })?.x ?? '') },
      versions: {
        current,
        refresh: (object, version) => void (object.spec = { ...(object.spec as object), refreshed: version }),
        ...(relabels && { relabel: (object: Thing, version: string) => void (object.metadata.labels = { from: version }) }),
      },
    })
  const object: Thing = { metadata: { name: 'a' }, spec: { x: '1' } }

  it('a custom record keeps its bytes if version and schema are current', () => {
    const codec = createCodec('v2', 7, false)
    const stored = codec.open('/k', codec.encode(object), 3)
    expect([stored.storedVersion, stored.field('spec.x'), stored.field('metadata.name')]).toEqual(['v2', '1', 'a'])
    expect(stored.object().spec).toEqual({ x: '1' })
  })

  it('a custom record is refreshed by the schema of its own version, and keeps that version', () => {
    const stored = createCodec('v2', 7, false).open('/k', createCodec('v1', 7, false).encode(object), 3)
    expect([stored.storedVersion, stored.field('spec.x')]).toEqual(['v1', '1'])
    expect(stored.object().spec).toEqual({ x: '1', refreshed: 'v1' })
  })

  it('a custom record decodes to the current version if conversion only relabels versions', () => {
    const stored = createCodec('v2', 7, true).open('/k', createCodec('v1', 7, true).encode(object), 3)
    expect([stored.storedVersion, stored.labels]).toEqual(['v2', { from: 'v1' }])
  })

  it('a custom record equals a record with another schema, but not a record with another version', () => {
    const codec = createCodec('v2', 7, false)
    const written = codec.encode(object)
    expect(codec.isSame?.(createCodec('v2', 8, false).encode(object), written)).toBe(true)
    expect(codec.isSame?.(createCodec('v1', 7, false).encode(object), written)).toBe(false)
    expect(codec.isSame?.(codec.encode({ ...object, spec: {} }), written)).toBe(false)
  })
})

describe('defaults on read', () => {
  const filling = createRecordCodec<Thing>({
    kind: 'Thing',
    schemaVersion: 3,
    selectableFields: { 'spec.x': (o) => String((o.spec as { x?: unknown })?.x ?? '') },
    defaultOnRead: {
      isDue: ({ spec }) => spec === undefined,
      fill(object) {
        object.spec = { x: 'y' }
        object.metadata.labels = { made: 'up' }
      },
    },
  })

  it('every reader gets defaults on read, and the next write stores them', () => {
    const written = filling.encode({ metadata: { name: 'a' } })
    const stored = filling.open('/k', written, 7)
    expect(stored.object()).toEqual({ metadata: { name: 'a', labels: { made: 'up' }, resourceVersion: '7' }, spec: { x: 'y' } })
    expect([stored.labels, stored.field('spec.x')]).toEqual([{ made: 'up' }, 'y'])
    expect(filling.headers?.readLabelSet(written)).toBeUndefined()
    const rewritten = filling.encode(stored.copy())
    expect(rewritten).not.toEqual(written)
    expect(filling.encode(filling.open('/k', rewritten, 8).copy())).toEqual(rewritten)
  })

  it('defaults on read do not replace a value', () => {
    const value = filling.encode({ metadata: { name: 'a' }, spec: { x: 'z' } })
    expect(filling.open('/k', value, 7).object().spec).toEqual({ x: 'z' })
    expect(filling.headers?.readLabelSet(value)).toBeDefined()
  })
})

it('finds the position of resourceVersion, after the members that come before it', () => {
  const readPrefix = (text: string): string => text.slice(0, findSplice(text))
  expect(readPrefix('{"metadata":{"name":"a"}}')).toBe('{"metadata":{"name":"a"')
  expect(readPrefix('{"metadata":{"name":"a","namespace":"n","uid":"u","labels":{"uid":"x"}}}')).toBe(
    '{"metadata":{"name":"a","namespace":"n","uid":"u"',
  )
  expect(readPrefix('{"data":{"a":"}\\"{","m":[{"metadata":{"name":"no"}}]},"metadata":{"name":"a\\\\","generation":1}}')).toBe(
    '{"data":{"a":"}\\"{","m":[{"metadata":{"name":"no"}}]},"metadata":{"name":"a\\\\"',
  )
  expect(() => findSplice('{"metadata":{}}')).toThrow()
  expect(() => findSplice('{"spec":{"metadata":{"name":"a"}}}')).toThrow()
})
