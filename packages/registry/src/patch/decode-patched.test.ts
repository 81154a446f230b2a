import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { decodeStruct, parseJson, stringifyJson, wasSentEmpty } from '@keelson/apimachinery'
import type { JsonObject, KubeObject, RequestContext, JsonValue } from '@keelson/apimachinery'
import { expect, it, vi } from 'vitest'
import { applyMergePatch } from '@keelson/apimachinery/patch'
import { assert, constantFrom, dictionary, letrec, oneof, property } from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { decodePatched, decodeChanged } from './decode-patched.ts'
import type { WriteRoute } from '../write/route.ts'

const gvk = { group: '', version: 'v1', kind: 'Pod' }
const route = { gvk, apiVersion: 'v1', type: createApiTypes([coreV1]).kind(gvk) } as unknown as WriteRoute

it('truncates a number that is too large when the document has an empty list', async () => {
  const patched: JsonObject = {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', env: [], ports: [{ containerPort: 2 ** 31 }] }] },
  }
  const current = { metadata: { name: 'a' } } as KubeObject
  const document = { patched, current, patchErrors: [], printPatch: () => '', converting: true }
  const { object, withEmptyLists } = await decodePatched(route, {} as RequestContext, document, 'Warn')
  for (const pod of [object, withEmptyLists])
    expect(pod).toMatchObject({ spec: { containers: [{ ports: [{ containerPort: -(2 ** 31) }] }] } })
})

it.each([0, 10])('reports the first error in the order of the printed document, if decoding took %i ms', async (took) => {
  const patched: JsonObject = { kind: 'Pod', apiVersion: 'v1', metadata: { namespace: true, labels: 1 } }
  const printPod = (): string => '{"kind":"Pod","apiVersion":"v1","metadata":{"labels":1,"namespace":true}}'
  const document = { patched, current: { metadata: { name: 'a' } } as KubeObject, patchErrors: [], printPatch: printPod, converting: false }
  // After a slow step, the error comes from a later turn of the event loop, so that other requests run before.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += took))
  const decodePod = async (): Promise<unknown> => decodePatched(route, {} as RequestContext, document, 'Warn')
  await expect(decodePod()).rejects.toThrow(/Go struct field ObjectMeta.metadata.labels of type/)
  clock.mockRestore()
})

const { schema } = createApiTypes([coreV1]).kind({ group: '', version: 'v1', kind: 'Pod' })!

const stored = decodeStruct<KubeObject>(schema, {
  metadata: {
    name: 'a',
    labels: { app: 'x', phase: 'y', unknown: 'z' },
    finalizers: ['f'],
    managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } }],
  },
  spec: { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }], nodeSelector: { a: 'b' }, securityContext: {} },
  status: { phase: 'Running' },
}).object

const names = [
  'metadata',
  'labels',
  'finalizers',
  'managedFields',
  'spec',
  'containers',
  'nodeSelector',
  'securityContext',
  'runAsUser',
  'status',
]
const { patch } = letrec<{ patch: JsonObject; value: JsonValue }>((tie) => ({
  patch: dictionary(constantFrom(...names, 'phase', 'app', 'unknown', '__proto__', 'kind'), tie('value'), {
    maxKeys: 4,
  }) as Arbitrary<JsonObject>,
  value: oneof({ depthSize: 'small' }, constantFrom(null, 1, 1.5, 'text', true, [], {}), tie('patch')),
}))

function runToOutcome(decode: () => unknown): unknown {
  try {
    return stringifyJson(decode())
  } catch (error) {
    return (error as Error).message
  }
}

it('gives the same result as decoding the whole document', () => {
  assert(
    property(patch, constantFrom('Strict', 'Warn', 'Ignore'), (given, strict) => {
      const changed = applyMergePatch({ kind: 'Pod', apiVersion: 'v1', ...stored } as unknown as JsonObject, given)
      expect(runToOutcome(() => decodeChanged(schema, changed, stored, { strict }))).toBe(
        runToOutcome(() => decodeStruct(schema, parseJson(stringifyJson(changed)), { strict })),
      )
    }),
  )
})

it('returns the empty lists of the patched document', () => {
  const changed = applyMergePatch(stored as unknown as JsonObject, { spec: { nodeSelector: { a: null } }, metadata: { finalizers: [] } })
  const { spec, metadata } = decodeChanged(schema, changed, stored, {}).object as KubeObject & { spec: object }
  expect([wasSentEmpty(spec, 'nodeSelector'), wasSentEmpty(metadata, 'finalizers'), wasSentEmpty(metadata, 'labels')]).toEqual([
    true,
    true,
    false,
  ])
})

it('does not change the current object', () => {
  const changed = applyMergePatch(stored as unknown as JsonObject, { metadata: { labels: { app: 'y' } } })
  const object = decodeChanged(schema, changed, stored, {}).object as KubeObject & { spec?: { nodeSelector: object } }
  object.metadata.finalizers!.push('g')
  Object.assign(object.spec!.nodeSelector, { c: 'd' })
  expect(stored).toMatchObject({ metadata: { finalizers: ['f'], labels: { app: 'x' } }, spec: { nodeSelector: { a: 'b' } } })
  expect(stored).not.toHaveProperty('spec.nodeSelector.c')
})
