import { expect, it } from 'vitest'
import { findSplice } from './record-codec.ts'

it('finds the position after the members before resourceVersion', () => {
  const at = (text: string): string => text.slice(0, findSplice(text))
  expect(at('{"metadata":{"name":"a"}}')).toBe('{"metadata":{"name":"a"')
  expect(at('{"metadata":{"name":"a","namespace":"n","uid":"u","labels":{"uid":"x"}}}')).toBe(
    '{"metadata":{"name":"a","namespace":"n","uid":"u"',
  )
  expect(at('{"data":{"a":"}\\"{","m":[{"metadata":{"name":"no"}}]},"metadata":{"name":"a\\\\","generation":1}}')).toBe(
    '{"data":{"a":"}\\"{","m":[{"metadata":{"name":"no"}}]},"metadata":{"name":"a\\\\"',
  )
  expect(() => findSplice('{"metadata":{}}')).toThrow()
  expect(() => findSplice('{"spec":{"metadata":{"name":"a"}}}')).toThrow()
})
