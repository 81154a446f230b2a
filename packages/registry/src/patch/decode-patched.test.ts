import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { JsonObject, KubeObject, RequestContext } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { decodePatched } from './decode-patched.ts'
import type { WriteRoute } from '../write/route.ts'

const gvk = { group: '', version: 'v1', kind: 'Pod' }
const route = { gvk, apiVersion: 'v1', type: createApiTypes([coreV1]).kind(gvk) } as unknown as WriteRoute

it('truncates a number that is too large when the document has an empty list', async () => {
  const patched: JsonObject = {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', env: [], ports: [{ containerPort: 2 ** 31 }] }] },
  }
  const current = { metadata: { name: 'a' } } as KubeObject
  const document = { patched, current, patchErrors: [], printed: () => '', converting: true }
  const { object, withEmptyLists } = await decodePatched(route, {} as RequestContext, document, 'Warn')
  for (const pod of [object, withEmptyLists])
    expect(pod).toMatchObject({ spec: { containers: [{ ports: [{ containerPort: -(2 ** 31) }] }] } })
})

it('reports the first error in the order of the printed document', () => {
  const patched: JsonObject = { kind: 'Pod', apiVersion: 'v1', metadata: { namespace: true, labels: 1 } }
  const printed = (): string => '{"kind":"Pod","apiVersion":"v1","metadata":{"labels":1,"namespace":true}}'
  const document = { patched, current: { metadata: { name: 'a' } } as KubeObject, patchErrors: [], printed, converting: false }
  expect(() => decodePatched(route, {} as RequestContext, document, 'Warn')).toThrow(/Go struct field ObjectMeta.metadata.labels of type/)
})
