import { coreV1 } from '@keelson/api/core/v1'
import type { ResourceQuotaSpec } from '@keelson/api/core/v1'
import { decodeStruct, fieldError, formatFieldErrorBody, newFieldPath } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { printList, printMap } from './print-map.ts'

it('prints all keys in alphabetical order, including numeric keys', () => {
  const owner = { labels: { 80: '<a>', $x: 'b', '10Gi': 'c' } }
  expect(formatFieldErrorBody(fieldError.invalid(newFieldPath('labels'), printMap(owner, 'labels'), 'no'))).toBe(
    String.raw`Invalid value: {"$x":"b","10Gi":"c","80":"\u003ca\u003e"}: no`,
  )
})

it('prints null for a map that is missing in the request', () => {
  const none: { labels?: object } = {}
  expect(printMap(none, 'labels')).toBe(null)
})

it('prints [] for an empty list in the request', () => {
  const { schema } = coreV1.kinds.find(({ gvk }) => gvk.kind === 'ResourceQuota')!
  const getSpec = (spec: JsonObject): ResourceQuotaSpec => decodeStruct<{ spec: ResourceQuotaSpec }>(schema, { spec }).object.spec
  expect([{}, { scopes: [] }, { scopes: ['BestEffort'] }].map((spec) => printList(getSpec(spec), 'scopes'))).toEqual([
    null,
    [],
    ['BestEffort'],
  ])
})
