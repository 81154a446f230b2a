import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from './compile.ts'
import { deviceEnvironment } from './kubernetes/device-environment.ts'
import { unparse } from './unparse.ts'

const { macros } = deviceEnvironment

/** Returns the AST of an expression without positions. */
function parseMeaning(text: string): unknown {
  const { expression } = parse(text, macros)
  return JSON.parse(
    JSON.stringify(expression, (key, value: unknown) => {
      if (key === 'offset') return undefined
      if (typeof value === 'bigint') return `${value}n`
      if (Object.is(value, -0)) return '-0'
      return value instanceof Set || value instanceof Uint8Array ? [...value] : value
    }),
  )
}

function unparseText(text: string): string {
  return unparse(parse(text, macros))
}

const name = fc.constantFrom('a', 'b', 'c')
const constant = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '1', '-1', '0x1F', '2u', '1.5', '-0.0', '1e30', '9223372036854775807', '-9223372036854775808'),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((text) => JSON.stringify(text)),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => `b'${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`),
)
const operator = fc.constantFrom('+', '-', '*', '/', '%', '<', '<=', '>', '>=', '==', '!=', 'in', '&&', '||')

/** Generates valid expressions. */
const text = fc.letrec<{ any: string; member: string }>((tie) => {
  const any = tie('any')
  const optional = fc.constantFrom('', '?')
  const list = fc.array(any, { maxLength: 3 }).map((items) => items.join(', '))
  return {
    member: fc.oneof(
      { depthSize: 'small' },
      name,
      constant,
      any.map((inner) => `(${inner})`),
      fc.tuple(tie('member'), optional, name).map(([target, mark, field]) => `${target}.${mark}${field}`),
      fc.tuple(tie('member'), optional, any).map(([target, mark, index]) => `${target}[${mark}${index}]`),
      fc.tuple(tie('member'), name, list).map(([target, method, args]) => `${target}.${method}(${args})`),
      fc.tuple(name, list).map(([called, args]) => `${called}(${args})`),
      fc
        .tuple(tie('member'), fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter', 'optMap', 'optFlatMap'), name, any)
        .map((parts) => {
          const [target, macro, variable, body] = parts
          return `${target}.${macro}(${variable}, ${body})`
        }),
      fc.tuple(tie('member'), fc.constantFrom('all', 'transformList', 'transformMap'), any).map(([target, macro, body]) => {
        return `${target}.${macro}(k, v, ${body})`
      }),
      fc.tuple(name, any, any).map(([variable, value, result]) => `cel.bind(${variable}, ${value}, ${result})`),
      fc.tuple(name, name).map(([target, field]) => `has(${target}.${field})`),
      fc.array(fc.tuple(optional, any), { maxLength: 3 }).map((items) => `[${items.map((item) => item.join('')).join(', ')}]`),
      fc
        .array(fc.tuple(optional, any, any), { maxLength: 2 })
        .map((items) => `{${items.map(([mark, key, value]) => `${mark}${key}: ${value}`).join(', ')}}`),
      fc.tuple(name, name, any).map(([type, field, value]) => `${type}.Type{${field}: ${value}}`),
    ),
    any: fc.oneof(
      { depthSize: 'small' },
      tie('member'),
      fc.tuple(any, operator, any).map(([left, sign, right]) => `${left} ${sign} ${right}`),
      fc.tuple(fc.constantFrom('!', '!!', '-', '--'), name).map((parts) => parts.join('')),
      fc.tuple(tie('member'), tie('member'), any).map(([condition, yes, no]) => `${condition} ? ${yes} : ${no}`),
    ),
  }
}).any

describe('unparse', () => {
  it('returns text that parses to the same AST', () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(parseMeaning(unparseText(source))).toEqual(parseMeaning(source))
      }),
    )
  })

  it('returns its own output unchanged', () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(unparseText(unparseText(source))).toBe(unparseText(source))
      }),
    )
  })

  it.each([
    ['( a+b )*c', '(a + b) * c'],
    ['a + b + c', 'a + b + c'],
    ['a + (b + c)', 'a + (b + c)'],
    ["'a\\n\"'", '"a\\u000a\\""'],
    ['a.all(x,x>0) // yes', 'a.all(x, x > 0)'],
    ['a.?b[?0].orValue({?"c":1u})', 'a.?b[?0].orValue({?"c": 1u})'],
    ['a ? b : c ? d : e', 'a ? b : c ? d : e'],
    ['(a ? b : c) ? d : e', '(a ? b : c) ? d : e'],
    ['- (1) - -1', '-(1) - -1'],
    ['b"é"', 'b"\\xc3\\xa9"'],
  ])('formats %s as %s', (source, result) => {
    expect(unparseText(source)).toBe(result)
  })
})
