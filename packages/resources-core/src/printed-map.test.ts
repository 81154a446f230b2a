import { fieldError, fieldErrorBody, fieldPath } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { printedMap } from './printed-map.ts'

it('prints keys in the order of their text, those that look like numbers too', () => {
  const owner = { labels: { 80: '<a>', $x: 'b', '10Gi': 'c' } }
  expect(fieldErrorBody(fieldError.invalid(fieldPath('labels'), printedMap(owner, 'labels'), 'no'))).toBe(
    String.raw`Invalid value: {"$x":"b","10Gi":"c","80":"\u003ca\u003e"}: no`,
  )
})

it('prints null for a map that was not sent', () => {
  const none: { labels?: object } = {}
  expect(printedMap(none, 'labels')).toBe(null)
})
