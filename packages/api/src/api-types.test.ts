import { expect, it } from 'vitest'
import { createApiTypes } from './api-types.ts'
import { appsV1 } from './generated/apps/v1/index.ts'
import { coreV1 } from './generated/core/v1/index.ts'

const pod = { group: '', version: 'v1', kind: 'Pod' }
const podSpec = 'io.k8s.api.core.v1.PodSpec'

it('has the kinds of a group version until the last module with that version is removed', () => {
  const types = createApiTypes([])
  expect(types.kind(pod)).toBeUndefined()
  const first = types.add(coreV1)
  const second = types.add(coreV1)
  first()
  first()
  expect(types.kind(pod)?.gvk).toEqual(pod)
  expect(types.findSchema(podSpec)?.name).toBe('PodSpec')
  second()
  expect(types.kind(pod)).toBeUndefined()
  expect(types.findSchema(podSpec)).toBeUndefined()
})

it('keeps the other group versions when one is removed', () => {
  const types = createApiTypes([coreV1])
  types.add(appsV1)()
  expect(types.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })).toBeUndefined()
  expect(types.kind(pod)).toBeDefined()
})
