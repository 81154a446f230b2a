import * as fc from 'fast-check'
import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { coordinationV1 } from '../generated/coordination/v1/index.ts'
import { coreV1 } from '../generated/core/v1/index.ts'
import { metaV1 } from '../generated/meta/v1/index.ts'
import { appsV1 } from '../generated/apps/v1/index.ts'
import { resourceV1 } from '../generated/resource/v1/index.ts'
import type { GroupVersionTypes, KindType } from '../kind-type.ts'
import { createFixturePod } from '../testing/fixture-pod.ts'
import { ProtoError } from './field-values.ts'

const kindOf = (module: GroupVersionTypes, name: string): KindType => module.kinds.find(({ gvk }) => gvk.kind === name)!
const again = (kind: KindType, object: unknown): JsonObject =>
  kind.decodeProto(kind.encodeProto(object as KubeObject)) as unknown as JsonObject
const pod = kindOf(coreV1, 'Pod')
const configMap = kindOf(coreV1, 'ConfigMap')
const lease = kindOf(coreV1, 'Event')

/** Strings with characters of every length in UTF-8. Lone surrogates are excluded, because UTF-8 cannot represent them. */
const text = fc.string({ unit: 'grapheme', maxLength: 60 })

describe('encoding and decoding values', () => {
  it('keeps text of any script and length', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 8 }), (data) => {
        const result = again(configMap, { metadata: {}, data })['data'] ?? {}
        expect(result).toEqual(data)
      }),
    )
    const long = 'ä€😀x'.repeat(50_000)
    expect(again(configMap, { metadata: {}, data: { long } })['data']).toEqual({ long })
  })

  it('keeps bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const binaryData = { key: Buffer.from(bytes).toString('base64') }
        expect(again(configMap, { metadata: {}, binaryData })['binaryData']).toEqual(binaryData)
      }),
    )
    expect(() => again(configMap, { metadata: {}, binaryData: { key: 'no base64!' } })).toThrow(ProtoError)
  })

  it('keeps integers exact, even beyond the precision of a double', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (big) => {
        const generation = big >= -(2n ** 53n) + 1n && big <= 2n ** 53n - 1n ? Number(big) : big
        const metadata = again(pod, { metadata: { generation } })['metadata'] as unknown as { generation?: number | bigint }
        expect(metadata.generation ?? 0).toBe(Object.is(generation, -0) ? 0 : generation)
      }),
    )
    expect(() => again(pod, { metadata: { generation: 2 ** 53 } })).toThrow(ProtoError)
    expect(() => again(pod, { metadata: { generation: 1.5 } })).toThrow(ProtoError)
    expect(() => again(pod, { metadata: { generation: 2n ** 63n } })).toThrow(ProtoError)
  })

  it('keeps times with four-digit years', () => {
    const date = fc.date({ min: new Date('0001-01-01T00:00:01Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    fc.assert(
      fc.property(date, (moment) => {
        const iso = moment.toISOString()
        const creationTimestamp = `${iso.slice(0, 19)}Z`
        const eventTime = `${iso.slice(0, 23)}000Z`
        const result = again(lease, { metadata: { creationTimestamp }, eventTime })
        expect(result).toMatchObject({ metadata: { creationTimestamp }, eventTime })
      }),
    )
    expect(again(pod, { metadata: { creationTimestamp: '2026-03-01T00:30:00+01:00' } })).toMatchObject({
      metadata: { creationTimestamp: '2026-02-28T23:30:00Z' },
    })
    for (const wrong of ['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', 'yesterday', '2026-03-01T24:00:00Z', '2026-03-01 00:00:00Z'])
      expect(() => again(pod, { metadata: { creationTimestamp: wrong } })).toThrow(ProtoError)
  })

  it('distinguishes a pointer to the zero time from a nil pointer', () => {
    const deletionTimestamp = [0x0a, 2, 0x4a, 0]
    const zero = pod.decodeProto(Uint8Array.from(deletionTimestamp))
    expect(zero.metadata).toEqual({ deletionTimestamp: null })
    expect(again(pod, zero)).toEqual(zero)
    expect(again(pod, { metadata: {} })['metadata']).toEqual({})
    const renewTime = [0x12, 2, 0x22, 0]
    const held = kindOf(coordinationV1, 'Lease')
    const zeroLease = held.decodeProto(Uint8Array.from(renewTime)) as unknown as JsonObject
    expect(zeroLease).toMatchObject({ spec: { renewTime: null } })
    expect(again(held, zeroLease)).toEqual(zeroLease)
  })

  it('truncates a time to microseconds before comparing it with the zero time', () => {
    const seconds = [0x08, 0x80, 0x92, 0xb8, 0xc3, 0x98, 0xfe, 0xff, 0xff, 0xff, 0x01]
    const nanos = [0x10, 1]
    const time = [...seconds, ...nanos]
    const spec = [0x22, time.length, ...time]
    const held = kindOf(coordinationV1, 'Lease')
    const object = held.decodeProto(Uint8Array.from([0x12, spec.length, ...spec])) as unknown as JsonObject
    expect(object).toMatchObject({ spec: { renewTime: null } })
    expect(again(held, object)).toEqual(object)
  })

  it('canonicalizes quantities like kube-apiserver', () => {
    const requests = { cpu: '0.5', memory: '1024Mi' }
    const result = again(pod, { metadata: {}, spec: { containers: [{ name: 'a', resources: { requests } }] } })
    expect(result).toMatchObject({ spec: { containers: [{ resources: { requests: { cpu: '500m', memory: '1Gi' } } }] } })
    expect(() => again(pod, { metadata: {}, spec: { overhead: { cpu: 'much' } } })).toThrow(ProtoError)
  })

  it('sorts the keys of maps for any order of the entries', () => {
    const raw = [...entry('b', '1'), ...entry('a', '2'), ...entry('c', '3')]
    const { labels } = pod.decodeProto(Uint8Array.from([0x0a, raw.length, ...raw])).metadata
    expect(Object.entries(labels!)).toEqual([
      ['a', '2'],
      ['b', '1'],
      ['c', '3'],
    ])
  })

  it('keeps a realistic pod with the order of its members', () => {
    const object = createFixturePod()
    expect(JSON.stringify(again(pod, again(pod, object)))).toBe(JSON.stringify(again(pod, object)))
    expect(again(pod, object)).toMatchObject(object)
  })

  it('accepts packed and unpacked repeated integers', () => {
    const separate = [0x18, 1, 0x18, 2]
    const packed = [0x1a, 2, 1, 2]
    for (const list of [separate, packed]) {
      const spec = [0x72, list.length, ...list.map((byte) => (byte === 0x18 ? 0x20 : byte === 0x1a ? 0x22 : byte))]
      expect(pod.decodeProto(Uint8Array.from([0x12, spec.length, ...spec]))).toMatchObject({
        spec: { securityContext: { supplementalGroups: [1, 2] } },
      })
    }
  })
})

describe('encoding and decoding omitted values', () => {
  it('gives the same JSON as kube-apiserver', () => {
    expect(JSON.stringify(again(pod, { metadata: {} }))).toBe('{"metadata":{},"spec":{"containers":null},"status":{}}')
    expect(JSON.stringify(again(kindOf(appsV1, 'ControllerRevision'), {}))).toBe('{"metadata":{},"data":null,"revision":0}')
    expect(
      JSON.stringify(again(kindOf(coreV1, 'PodList'), { metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'a' } }] })),
    ).toBe('{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"},"spec":{"containers":null},"status":{}}]}')
    expect(JSON.stringify(again(kindOf(coreV1, 'Event'), { metadata: {} }))).toBe(
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    )
  })

  it('distinguishes empty from absent values like kube-apiserver', () => {
    const attributes = { a: { int: 0 }, b: { bool: false }, c: { string: '' } }
    const slice = again(kindOf(resourceV1, 'ResourceSlice'), { metadata: {}, spec: { devices: [{ name: 'd', attributes }] } })
    expect(slice).toMatchObject({ spec: { devices: [{ attributes }] } })
    const options = kindOf(metaV1, 'DeleteOptions')
    expect(again(options, { gracePeriodSeconds: 0, preconditions: {} })).toEqual({ gracePeriodSeconds: 0, preconditions: {} })
    expect(again(options, {})).toEqual({})
  })

  it('drops kind and apiVersion', () => {
    expect(again(pod, { kind: 'Node', apiVersion: 'v9', metadata: {} })).not.toHaveProperty('kind')
  })
})

function entry(key: string, value: string): number[] {
  return [0x5a, 6, 0x0a, 1, key.charCodeAt(0), 0x12, 1, value.charCodeAt(0)]
}
