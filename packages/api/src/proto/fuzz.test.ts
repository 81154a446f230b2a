import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KindType } from '../kind-type.ts'
import { createFixturePod } from '../testing/fixture-pod.ts'
import { loadEveryGroupVersion } from '../testing/load-everything.ts'
import { ProtoError } from './field-values.ts'
import { decodeUnknown, encodeUnknown } from './unknown-envelope.ts'

const kinds = (await loadEveryGroupVersion()).flatMap((module) => module.kinds)
const pod = kinds.find(({ gvk }) => gvk.kind === 'Pod')!
const definition = kinds.find(({ gvk }) => gvk.kind === 'CustomResourceDefinition' && gvk.version === 'v1')!
const podBytes = pod.encodeProto(createFixturePod())

/**
 * Checks that bytes are decoded or rejected with a `ProtoError`. Checks that a decoded object stays the same when it is encoded and decoded
 * again.
 */
function survives(kind: KindType, bytes: Uint8Array): void {
  let object
  try {
    object = kind.decodeProto(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(ProtoError)
    return
  }
  expect(kind.decodeProto(kind.encodeProto(object))).toEqual(object)
}

describe('decoding arbitrary bytes', () => {
  it('property: returns an object or throws a ProtoError', () => {
    fc.assert(
      fc.property(fc.nat({ max: kinds.length - 1 }), fc.uint8Array({ maxLength: 400 }), (kind, bytes) => survives(kinds[kind]!, bytes)),
      { numRuns: 3000 },
    )
  })

  it('property: decodes or rejects a pod with a few changed bytes', () => {
    const change = fc.record({ at: fc.nat({ max: podBytes.length - 1 }), byte: fc.nat({ max: 255 }) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Uint8Array.from(podBytes)
        for (const { at, byte } of changes) bytes[at] = byte
        survives(pod, bytes)
      }),
      { numRuns: 1500 },
    )
  })

  it('decodes or rejects a pod that is truncated anywhere', () => {
    for (let length = 0; length < podBytes.length; length++) survives(pod, podBytes.subarray(0, length))
  })

  it('never allocates more memory than the input has', () => {
    const endless = [0x0a, 0xff, 0xff, 0xff, 0xff, 0x07]
    expect(() => pod.decodeProto(Uint8Array.from(endless))).toThrow(ProtoError)
    expect(() => pod.decodeProto(Uint8Array.from([0x0a, 0x06, ...endless]))).toThrow(ProtoError)
    expect(() => decodeUnknown(Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]))).toThrow(ProtoError)
  })

  it('does not overflow the stack', () => {
    let nested: Uint8Array = new Uint8Array()
    // A schema.not.not.not… with deep nesting.
    for (let i = 0; i < 2000; i++) nested = field(28, nested)
    const inSchema = field(2, field(7, field(4, field(1, nested))))
    expect(() => definition.decodeProto(inSchema)).toThrow(ProtoError)
    const groups = new Uint8Array(200_000).fill(0x0b)
    expect(() => pod.decodeProto(groups)).toThrow(ProtoError)
  })

  it('never sets a prototype', () => {
    const entry = field(11, Uint8Array.from([...field(1, Buffer.from('__proto__')), ...field(2, Buffer.from('x'))]))
    const { labels } = pod.decodeProto(field(1, entry)).metadata
    expect(Object.keys(labels!)).toEqual(['__proto__'])
    expect(pod.encodeProto({ metadata: { labels: labels! } })).toEqual(pod.encodeProto(pod.decodeProto(field(1, entry))))
  })

  it('skips unknown fields of any wire type', () => {
    const unknown = [
      0xf8, 0x7f, 1, 0xf9, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 0xfa, 0x7f, 1, 9, 0xfb, 0x7f, 0x08, 1, 0xfc, 0x7f, 0xfd, 0x7f, 1, 2, 3, 4,
    ]
    expect(pod.decodeProto(Uint8Array.from([...unknown, ...podBytes]))).toEqual(pod.decodeProto(podBytes))
  })

  it('rejects a known field with the wrong wire type', () => {
    expect(() => pod.decodeProto(Uint8Array.from([0x08, 1]))).toThrow(ProtoError)
    // Number 41 is spec.hostnameOverride.
    expect(() => pod.decodeProto(Uint8Array.from([0x12, 3, 0xc8, 0x02, 1]))).toThrow(ProtoError)
  })

  it('accepts an envelope only with its prefix', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(() => decodeUnknown(bytes)).toThrow(ProtoError)
        try {
          decodeUnknown(Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes]))
        } catch (error) {
          expect(error).toBeInstanceOf(ProtoError)
        }
      }),
    )
  })
})

describe('encoding an envelope', () => {
  it('returns the same message after decoding', () => {
    const gvk = { group: 'apps', version: 'v1', kind: 'Deployment' }
    const raw = Uint8Array.from({ length: 300 }, (_, index) => index & 255)
    const opened = decodeUnknown(encodeUnknown(gvk, raw))
    expect(opened).toMatchObject({ gvk, contentType: '', contentEncoding: '' })
    expect(Buffer.from(opened.raw)).toEqual(Buffer.from(raw))
  })
})

function field(number: number, body: Uint8Array): Uint8Array {
  return Uint8Array.from([...varint(number * 8 + 2), ...varint(body.length), ...body])
}

function varint(value: number): number[] {
  return value > 127 ? [(value & 127) | 128, ...varint(value >>> 7)] : [value]
}
