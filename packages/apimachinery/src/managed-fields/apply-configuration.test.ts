import { expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../meta.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { GoValue } from './go-value.ts'
import { createStructSchema } from './struct-schema.fixture.ts'

const text = { kind: 'string' } as const
const item = createStructSchema([
  { name: 'name', type: text },
  { name: 'value', type: text },
])
const schema = createStructSchema([
  { name: 'atomic', type: createStructSchema([{ name: 'inner', type: { kind: 'list', items: text } }], 'atomic') },
  { name: 'items', type: { kind: 'list', items: item, listType: 'map', mapKeys: ['name'] } },
  { name: 'list', type: { kind: 'list', items: text } },
  { name: 'map', type: { kind: 'map', values: text } },
  { name: 'maps', type: { kind: 'map', values: { kind: 'list', items: text } } },
])

const type = { kind: 'Thing', apiVersion: 'v1' }
function apply(object: JsonObject, configuration: JsonObject): JsonObject {
  return applyConfiguration({ schema }, { ...type, ...object }, configuration)
}

it('merges a configuration and keeps kind and apiVersion', () => {
  const object = { items: [{ name: 'a', value: '1' }, { name: 'b' }], map: { x: '1' } }
  const configuration = { kind: 'Other', items: [{ name: 'a', value: '2' }, { name: 'c' }], map: { y: '2' } }
  expect(apply(object, configuration)).toEqual({
    ...type,
    items: [{ name: 'a', value: '2' }, { name: 'b' }, { name: 'c' }],
    map: { x: '1', y: '2' },
  })
})

it.each<[JsonObject, string]>([
  [{ list: ['a'] }, '.list'],
  [{ atomic: { inner: ['a'] } }, '.atomic, .atomic.inner'],
])('refuses the atomic values of %j', (configuration, paths) => {
  const message = `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${paths}`
  expect(() => apply({}, configuration)).toThrow(new Error(message))
})

it('does not search the values of maps for atomic values, like kube-apiserver', () => {
  expect(apply({}, { maps: { a: ['x'] } })).toEqual({ ...type, maps: { a: ['x'] } })
})

it.each<[string, (value: JsonValue) => JsonObject]>([
  ['.map.k: expected string, got &value.valueUnstructured{Value:syntax}', (value) => ({ map: { k: value } })],
  ['.map: expected map, got &{text}', (value) => ({ map: value })],
  ['.list: expected list, got &{text}', (value) => ({ list: value })],
  ['.items: element 0: associative list with keys may not have non-map elements', (value) => ({ items: [value] })],
])('refuses a value of a Go type: %s', (message, configuration) => {
  const value = new GoValue('type', 'text', 'syntax') as unknown as JsonValue
  expect(() => apply({}, configuration(value))).toThrow(new Error(`failed to convert patch object to typed object: ${message}`))
})
