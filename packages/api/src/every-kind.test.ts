import { createHash } from 'node:crypto'
import { decodeStruct, groupVersionKindString } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { loadEveryGroupVersion } from './testing/load-everything.ts'
import { buildFullObject } from './testing/populate.ts'

const kinds = (await loadEveryGroupVersion()).flatMap((module) => module.kinds)
const cases = kinds.map((kind) => ({ name: groupVersionKindString(kind.gvk), kind }))

describe('every kind', () => {
  it.each(cases)('$name: encoding an object with all fields and decoding it returns the same object', ({ kind }) => {
    const object = buildFullObject(kind.schema) as unknown as KubeObject
    const decoded = kind.decodeProto(kind.encodeProto(object))
    expect(decoded).toEqual(object)
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(object))
  })

  it.each(cases)('$name: decoding an empty object from protobuf and from JSON gives the same result', ({ kind }) => {
    const fromProto = kind.decodeProto(new Uint8Array())
    const { object } = decodeStruct(kind.schema, {})
    expect(fromProto).toEqual('items' in object ? { ...object, items: fromProto['items' as keyof KubeObject] } : object)
  })

  it('encodes to the recorded bytes', async () => {
    const lines = cases.map(({ name, kind }) => {
      const bytes = kind.encodeProto(buildFullObject(kind.schema) as unknown as KubeObject)
      return `${name} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}\n`
    })
    await expect(lines.join('')).toMatchFileSnapshot('testing/every-kind.digests')
  })
})
