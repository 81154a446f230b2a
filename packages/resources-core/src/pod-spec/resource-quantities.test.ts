import { expect, it } from 'vitest'
import { roundUpToMilli } from './resource-quantities.ts'

it.each([
  ['100u', '1m'],
  ['1000u', '1m'],
  ['1.0001', '1001m'],
  ['01', '01'],
  ['+1', '+1'],
  ['010Mi', '010Mi'],
  ['2500m', '2500m'],
  ['1000m', '1'],
])('rounds %s to %s', (text, rounded) => {
  const list = { cpu: text }
  roundUpToMilli(list)
  expect(list.cpu).toBe(rounded)
})
