import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError } from '../api-error.ts'
import type { JsonObject } from '../meta.ts'
import type { FieldSchema, StructSchema } from '../type-schema.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

function createStruct(name: string, fields: readonly FieldSchema[]): StructSchema {
  return { kind: 'struct', name, definition: `io.k8s.api.core.v1.${name}`, fields, byName: new Map(fields.map((f) => [f.name, f])) }
}
const string = { kind: 'string' } as const
const mergeLists = (
  name: string,
  items: StructSchema,
  patchMergeKey: string,
  strategy: FieldSchema['patchStrategy'] = ['merge'],
): FieldSchema => ({
  name,
  type: { kind: 'list', items },
  patchStrategy: strategy,
  patchMergeKey,
})

const env = createStruct('EnvVar', [
  { name: 'name', type: string },
  { name: 'value', type: string },
])
const container = createStruct('Container', [
  { name: 'name', type: string },
  { name: 'image', type: string },
  { name: 'args', type: { kind: 'list', items: string } },
  mergeLists('env', env, 'name'),
])
const volume = createStruct('Volume', [
  { name: 'name', type: string },
  { name: 'emptyDir', type: createStruct('EmptyDir', []) },
  { name: 'hostPath', type: createStruct('HostPath', []) },
])
const schema = createStruct('Pod', [
  mergeLists('containers', container, 'name'),
  mergeLists('volumes', volume, 'name', ['merge', 'retainKeys']),
  { name: 'finalizers', type: { kind: 'list', items: string }, patchStrategy: ['merge'] },
  { name: 'labels', type: { kind: 'map', values: string } },
  {
    name: 'strategy',
    type: createStruct('Strategy', [
      { name: 'type', type: string },
      { name: 'rolling', type: createStruct('Rolling', []) },
    ]),
    patchStrategy: ['retainKeys'],
  },
  { name: 'whole', type: createStruct('Whole', []), patchStrategy: ['replace'] },
  { name: 'items', type: { kind: 'list', items: env }, patchStrategy: ['merge'] },
])

const apply = (document: JsonObject, patch: JsonObject): JsonObject => applyStrategicMergePatch(document, patch, schema)
const createNamedItems = (...names: string[]): JsonObject[] => names.map((name) => ({ name }))

describe('objects', () => {
  test('merges members, deletes them by null, and executes replace and delete directives', () => {
    expect(apply({ labels: { a: '1', b: '2' } }, { labels: { b: null, c: '3' } })).toEqual({ labels: { a: '1', c: '3' } })
    expect(apply({ labels: { a: '1' } }, { labels: { $patch: 'replace', c: '3' } })).toEqual({ labels: { c: '3' } })
    expect(apply({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} })
    expect(apply({ whole: { a: 1, b: 2 } }, { whole: { a: 3 } })).toEqual({ whole: { a: 3 } })
  })

  test('drops nulls and directives in new values', () => {
    expect(
      apply(
        {},
        { labels: { a: null, b: '1' }, strategy: { $patch: 'delete' }, containers: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] },
      ),
    ).toEqual({
      labels: { b: '1' },
      containers: [{ name: 'b' }],
    })
  })

  test('drops members not listed in $retainKeys', () => {
    expect(apply({ strategy: { type: 'A', rolling: {} } }, { strategy: { $retainKeys: ['type'], type: 'B' } })).toEqual({
      strategy: { type: 'B' },
    })
    const volumes = [{ name: 'v', emptyDir: {} }]
    expect(apply({ volumes }, { volumes: [{ name: 'v', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }] })).toEqual({
      volumes: [{ name: 'v', hostPath: { path: '/' } }],
    })
  })
})

describe('lists', () => {
  const containers = [
    { name: 'a', image: '1', env: [{ name: 'x', value: '1' }] },
    { name: 'b', image: '2' },
  ]

  test('merges items by key and puts new items before items that are not in the patch', () => {
    expect(apply({ containers }, { containers: [{ name: 'c' }, { name: 'a', env: [{ name: 'y' }] }] }).containers).toEqual([
      { name: 'c' },
      { name: 'a', image: '1', env: [{ name: 'y' }, { name: 'x', value: '1' }] },
      { name: 'b', image: '2' },
    ])
  })

  test('deletes items or replaces the list by directives', () => {
    expect(apply({ containers }, { containers: [{ name: 'a', $patch: 'delete' }] }).containers).toEqual([containers[1]])
    expect(apply({ containers }, { containers: [{ $patch: 'replace' }, { name: 'z' }] }).containers).toEqual([{ name: 'z' }])
  })

  test('replaces atomic lists', () => {
    expect(apply({ containers: [{ name: 'a', args: ['1', '2'] }] }, { containers: [{ name: 'a', args: ['3'] }] })).toEqual({
      containers: [{ name: 'a', args: ['3'] }],
    })
  })

  test('merges scalars as sets', () => {
    expect(apply({ finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] })).toEqual({ finalizers: ['a', 'b', 'c'] })
    expect(apply({ finalizers: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/finalizers': ['b'] })).toEqual({ finalizers: ['a', 'c'] })
  })

  test('orders lists by $setElementOrder and keeps items that are not in the patch', () => {
    expect(
      apply({ containers: createNamedItems('a', 's', 'b') }, { '$setElementOrder/containers': createNamedItems('b', 'a') }).containers,
    ).toEqual(createNamedItems('s', 'b', 'a'))
    expect(apply({ finalizers: ['a', 's', 'b'] }, { '$setElementOrder/finalizers': ['c', 'b', 'a'], finalizers: ['c'] })).toEqual({
      finalizers: ['c', 's', 'b', 'a'],
    })
  })

  test('puts an added item at the position of a deleted one', () => {
    const patch = { '$setElementOrder/containers': createNamedItems('n'), containers: [{ name: 'n' }, { name: 'b', $patch: 'delete' }] }
    expect(apply({ containers: createNamedItems('b', 'd', 'e') }, patch).containers).toEqual(createNamedItems('d', 'e', 'n'))
  })
})

describe('rejected patches', () => {
  const catchRefusal = (document: JsonObject, patch: JsonObject): string => {
    try {
      apply(document, patch)
    } catch (e) {
      if (isApiError(e)) return `${e.code} ${e.message}`
      throw e
    }
    return ''
  }
  test.each<[JsonObject, JsonObject, string]>([
    [{ labels: {} }, { labels: { $patch: 'x', a: 1 } }, '500 unknown patch type: x in map: map[$patch:x a:1]'],
    [
      { containers: createNamedItems('a') },
      { containers: [{ image: 'x' }] },
      '500 map: map[image:x] does not contain declared merge key: name',
    ],
    [
      { containers: createNamedItems('a') },
      { containers: [{ name: 'a', $patch: 'merge' }] },
      '500 merging lists cannot yet be specified in the patch',
    ],
    [{ containers: createNamedItems('a') }, { containers: ['a'] }, '500 list element types are not identical: [[map[name:a]] [a]]'],
    [{ items: createNamedItems('a') }, { items: createNamedItems('b') }, '500 cannot merge lists without merge key for struct'],
    [{ finalizers: ['a'] }, { finalizers: [['a']] }, '500 list element types are not identical: [[a] [[a]]]'],
    [{ finalizers: [] }, { finalizers: [['a']] }, '422 the server rejected our request due to an error in our request'],
    [{ strategy: {} }, { strategy: { $retainKeys: ['a'], type: 'x' } }, '400 invalid patch format of retainKeys'],
    [{}, { '$setElementOrder.x': [] }, '400 invalid patch format of setElementOrder list'],
    [{}, { '$deleteFromPrimitiveList.x': [] }, '400 invalid patch format of primitive list'],
    [{}, { '$setElementOrder/containers': 'x' }, '500 expected a []interface {}, but received a string'],
    [{ x: {} }, { x: { a: 1 } }, '500 unable to find api field in struct Pod for the json field "x"'],
    [{ labels: { a: {} } }, { labels: { a: { b: 1 } } }, '500 merging an object in json but data type is not struct, instead is: map'],
  ])('rejects the change of %j with %j', (document, patch, message) => {
    expect(catchRefusal(document, patch)).toBe(message)
  })

  test('rejects a list in a different order than $setElementOrder', () => {
    expect(catchRefusal({}, { containers: createNamedItems('b', 'a'), '$setElementOrder/containers': createNamedItems('a', 'b') })).toMatch(
      /^500 The order in patch list:\n\[map\[name:b\] map\[name:a\]\]\n doesn't match/,
    )
  })
})

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'))
const documents = fc.record({
  containers: names.map((list) => list.map((name) => ({ name, image: `${name}:1`, env: createNamedItems('x', 'y') }))),
  finalizers: names,
  labels: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.string()),
}) as fc.Arbitrary<JsonObject>

test('property: without directives, is idempotent and does not modify inputs', () => {
  fc.assert(
    fc.property(documents, documents, (document, patch) => {
      const before = JSON.stringify([document, patch])
      const once = apply(document, patch)
      expect(apply(once, patch)).toEqual(once)
      expect(JSON.stringify([document, patch])).toBe(before)
    }),
  )
})

test('property: an empty patch changes nothing and returns a copy', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const result = apply(document, {})
      expect(result).toEqual(document)
      expect(result.containers).not.toBe(document.containers)
    }),
  )
})
