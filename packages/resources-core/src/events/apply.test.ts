import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { createStorageFieldManager } from '@keelson/registry'
import { expect, it } from 'vitest'
import { core } from '../api-groups.ts'

it('rejects an applied event that cannot be converted to the API version in its managed fields', () => {
  const scheme = new Scheme()
  core.register(scheme)
  const manager = createStorageFieldManager({
    scheme,
    types: createApiTypes([coreV1, eventsV1, metaV1]),
    kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
    storage: { gvk: { group: '', version: 'v1', kind: 'Event' } },
    subresource: '',
    now: () => 0,
  })!
  const live = {
    metadata: {
      name: 'a',
      managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:reason': {} } }],
    },
    reason: 'a',
  } as unknown as KubeObject
  const config = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'a' }, deprecatedFirstTimestamp: 'x' }
  expect(() => manager.apply(live, config, 'other', true)).toThrow(
    expect.objectContaining({
      code: 500,
      message: expect.stringMatching(/^unable to convert unstructured object to events\.k8s\.io\/v1, Kind=Event: parsing time "x"/),
    }),
  )
})
