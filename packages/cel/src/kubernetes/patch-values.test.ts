import { GoValue } from '@keelson/apimachinery/managed-fields'
import { expect, it } from 'vitest'
import { Program } from '../evaluate/program.ts'
import type { Evaluation } from '../evaluate/program.ts'
import type { StructValue, Value } from '../values/value.ts'
import { compileAdmission } from './compile-admission.ts'
import { checkTypeNames, toConfiguration, toPatchValue } from './patch-values.ts'

const object = { data: { a: '1' }, list: [{ n: 1 }], none: null }

function evaluate(text: string): Value {
  const { compiled, problem } = compileAdmission(text, 'variable', { hasParams: false, hasAuthorizer: false, hasPatches: true })
  if (compiled === undefined) throw new Error(problem)
  return (new Program(compiled).evaluate({ object }) as Evaluation).value
}

it.each<[string, unknown]>([
  ["Object{a: 'x', b: 1, c: 1.5, d: true}", { a: 'x', b: 1, c: 1.5, d: true }],
  ["Object{a: Object.a{b: [Object.a.b{c: 'x'}]}}", { a: { b: [{ c: 'x' }] } }],
  ["Object{a: {'k': 'v'}, b: ['x']}", { a: { k: 'v' }, b: ['x'] }],
  ["Object{?a: optional.none(), b: optional.of({'k': 'v'}), c: optional.none()}", { b: { k: 'v' }, c: null }],
  ['Object{a: object.list + [Object.a{n: 2}]}', { a: [{ n: 1 }, { n: 2 }] }],
  ["Object{a: {1: 'x'}}", undefined],
  ['Object{a: null}', { a: new GoValue('structpb.NullValue', 'NULL_VALUE', '0') }],
  ["Object{a: [{'k': 'v'}]}", { a: [new GoValue('map[ref.Val]ref.Val', 'map[k:v]', 'map[ref.Val]ref.Val{map[k:v]}')] }],
  [
    "Object{a: timestamp('2020-01-02T03:04:05Z')}",
    {
      a: new GoValue('time.Time', '2020-01-02 03:04:05 +0000 UTC', 'time.Date(2020, time.January, 2, 3, 4, 5, 0, time.UTC)'),
    },
  ],
  ['Object{a: 17u}', { a: new GoValue('uint64', '17', '0x11') }],
])('converts %s to a configuration', (text, expected) => {
  expect(toConfiguration(evaluate(text) as StructValue)).toEqual(expected)
})

it('copies the parts of variables', () => {
  const { a } = toConfiguration(evaluate('Object{a: object}') as StructValue)!
  expect(a).toEqual(object)
  expect(a).not.toBe(object)
  expect((a as typeof object).data).not.toBe(object.data)
  expect((toPatchValue(evaluate('object')) as typeof object).data).not.toBe(object.data)
})

it.each<[string, unknown]>([
  ['null', null],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['18446744073709551615u', '18446744073709551615'],
  ["duration('1.5s')", '1.5s'],
  ["timestamp('2020-01-02T03:04:05Z')", '2020-01-02T03:04:05Z'],
  ["b'abc'", 'YWJj'],
  ["{'k': [{'n': dyn(1)}]}", { k: [{ n: 1 }] }],
  ["Object.x{a: {'k': 1}, b: ['x']}", { a: { k: 1 }, b: ['x'] }],
  ["optional.of('x')", 'x'],
])('converts %s to JSON', (text, expected) => {
  expect(toPatchValue(evaluate(text))).toEqual(expected)
})

it.each([
  ['0.0 / 0.0', 'json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid NaN value'],
  ["quantity('1')", "type conversion error from 'Quantity' to '*structpb.Value'"],
  ['int', "type conversion not supported for 'type'"],
  ["{1: 'x'}", "unsupported type conversion from 'int' to string"],
  ['optional.none()', 'optional.none() dereference'],
  ["Object.x{a: [{'k': 'v'}]}", 'proto: invalid type: map[ref.Val]ref.Val'],
])('refuses %s as JSON', (text, message) => {
  expect(() => toPatchValue(evaluate(text))).toThrow(new Error(message))
})

it.each([
  ["Object{a: Object.a{b: [Object.a.b{}], c: {'k': Object.a.c{}}}}", undefined],
  ['Object.x{a: Object.x.a{}}', undefined],
  [
    'Object{a: Object.b{c: Object.d{}}}',
    'unexpected type name "Object.b", expected "Object.a", which matches field name path from root Object type\n' +
      'unexpected type name "Object.d", expected "Object.a.c", which matches field name path from root Object type',
  ],
])('checks the type names of %s', (text, expected) => {
  expect(checkTypeNames(evaluate(text) as StructValue)).toBe(expected)
})
