import { coreV1 } from '@keelson/api/core/v1'
import type { ResourceQuotaSpec } from '@keelson/api/core/v1'
import { decodeStruct, fieldError, fieldErrorBody, fieldPath } from '@keelson/apimachinery'
import type { JsonObject } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { printList, printMap } from './print-map.ts'

it('prints keys in string order, including numeric keys', () => {
  const owner = { labels: { 80: '<a>', $x: 'b', '10Gi': 'c' } }
  expect(fieldErrorBody(fieldError.invalid(fieldPath('labels'), printMap(owner, 'labels'), 'no'))).toBe(
    String.raw`Invalid value: {"$x":"b","10Gi":"c","80":"\u003ca\u003e"}: no`,
  )
})

it('prints null for a map that was not sent', () => {
  const none: { labels?: object } = {}
  expect(printMap(none, 'labels')).toBe(null)
})

it('prints an empty list that the client sent', () => {
  const { schema } = coreV1.kinds.find(({ gvk }) => gvk.kind === 'ResourceQuota')!
  const getSpec = (spec: JsonObject): ResourceQuotaSpec => decodeStruct<{ spec: ResourceQuotaSpec }>(schema, { spec }).object.spec
  expect([{}, { scopes: [] }, { scopes: ['BestEffort'] }].map((spec) => printList(getSpec(spec), 'scopes'))).toEqual([
    null,
    [],
    ['BestEffort'],
  ])
})
