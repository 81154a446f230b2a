import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { JsonObject } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { createJsonPatchPrinter, createMergePatchPrinter, createStrategicPatchPrinter } from './apply-patch.ts'

const { schema } = createApiTypes([coreV1]).kind({ group: '', version: 'v1', kind: 'ConfigMap' })!
const signal = (): AbortSignal => expect.fail('unexpected call')

const document: JsonObject = {
  z: { y: 1, x: 2 },
  list: [
    { name: 'a', image: 'i' },
    { name: 'b', image: 'j' },
  ],
  a: 0,
}

it.each([
  [{ a: 1 }, '{"a":1,"list":[{"name":"a","image":"i"},{"name":"b","image":"j"}],"z":{"y":1,"x":2}}'],
  [{ z: { w: 1 } }, '{"a":0,"list":[{"name":"a","image":"i"},{"name":"b","image":"j"}],"z":{"w":1,"x":2,"y":1}}'],
  [{ list: [{ d: 1, c: { f: 1, e: 2 } }] }, '{"a":0,"list":[{"c":{"e":2,"f":1},"d":1}],"z":{"y":1,"x":2}}'],
  [{ z: [{ d: 1, c: 2 }] }, '{"a":0,"list":[{"name":"a","image":"i"},{"name":"b","image":"j"}],"z":[{"d":1,"c":2}]}'],
])('prints the result of the merge patch %j', (patch, printed) =>
  expect(createMergePatchPrinter(patch)(document, undefined, signal)).toBe(printed),
)

it('prints objects of a kind without Go types with sorted members', () => {
  const open = { ...schema, keepsUnknown: true }
  const text = '{"a":0,"list":[{"image":"i","name":"a"},{"image":"j","name":"b"}],"new":1,"z":{"x":2,"y":1}}'
  expect(createMergePatchPrinter({ new: 1 })(document, open, signal)).toBe(text)
  expect(createJsonPatchPrinter([{ op: 'add', path: '/new', value: 1 }])(document, open, signal)).toBe(text)
})

it('prints sorted members of objects on the path of a JSON patch, and keeps the order in its values', () => {
  const print = createJsonPatchPrinter([
    { op: 'replace', path: '/list/1/image', value: { d: 1, c: 2 } },
    { op: 'add', path: '/new', value: { d: 1, c: 2 } },
    { op: 'copy', from: '/list/0', path: '/copy' },
    { op: 'test', path: '/z/y', value: 1 },
    { op: 'copy', from: '/z', path: '/y' },
    { op: 'test', path: '/copy', value: { name: 'a', image: 'i' } },
  ])
  expect(print(document, undefined, signal)).toBe(
    '{"a":0,"copy":{"image":"i","name":"a"},"list":[{"name":"a","image":"i"},{"image":{"d":1,"c":2},"name":"b"}],"new":{"d":1,"c":2},"y":{"x":2,"y":1},"z":{"x":2,"y":1}}',
  )
})

it('prints sorted members of copied objects that were on the path of an earlier operation', () => {
  const print = createJsonPatchPrinter([
    { op: 'test', path: '/z/y', value: 1 },
    { op: 'copy', from: '/z', path: '/copy' },
    { op: 'copy', from: '/list', path: '/other' },
  ])
  expect(print({ z: document['z']!, list: [{ d: 1, c: 2 }] }, undefined, signal)).toBe(
    '{"copy":{"x":2,"y":1},"list":[{"d":1,"c":2}],"other":[{"d":1,"c":2}],"z":{"x":2,"y":1}}',
  )
})

it('prints a long JSON patch in slices, and stops when the request is aborted', async () => {
  const disconnect = new AbortController()
  const operations = Array.from({ length: 2_000 }, () => ({ op: 'move', from: '/long/50000', path: '/long/1000' }))
  const print = (): unknown =>
    createJsonPatchPrinter(operations)({ long: Array.from({ length: 100_000 }, () => 0) }, undefined, () => disconnect.signal)
  let turns = 0
  const count = (): void => {
    turns++
    if (!disconnect.signal.aborted) setImmediate(count)
  }
  count()
  expect(await print()).toMatch(/^{"long":\[0,0,/)
  expect(turns).toBeGreaterThan(2)
  const unread = print()
  disconnect.abort(new Error('gone'))
  await expect(unread).rejects.toThrow('gone')
})

it('prints a strategic merge patch without replace directives, and without nulls for absent members', () => {
  const print = (patch: JsonObject): unknown => createStrategicPatchPrinter(patch)({ data: { a: 'b' } }, schema, signal)
  expect(print({ data: { $patch: 'replace', x: 1 } })).toBe('map[data:map[x:1]]')
  expect(print({ data: { $patch: 'delete' } })).toBe('map[data:map[$patch:delete]]')
  expect(print({ data: { a: { b: null, c: [{ d: null }] }, e: null }, immutable: { f: null } })).toBe(
    'map[data:map[a:map[c:[map[]]] e:<nil>] immutable:map[]]',
  )
})
