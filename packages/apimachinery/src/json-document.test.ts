import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError } from './api-error.ts'
import { stringifyJson } from './go-text.ts'
import { maxRequestValues, parseJson, parseJsonRequest } from './json-document.ts'
import { isJsonError } from './json-error.ts'

const catchMessage = (text: string | Uint8Array): string => {
  try {
    parseJson(text)
  } catch (e) {
    if (isJsonError(e)) return e.message
    throw e
  }
  return ''
}

describe('JSON errors', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['[{"op":', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['-', "invalid character ' ' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
  ])('rejects %j with the message of Go', (text, message) => {
    expect(catchMessage(text)).toBe(message)
  })
})

describe('JSON values', () => {
  test('keeps integers exact that a double cannot represent, also when writing them', () => {
    const text = '{"a":9007199254740993,"b":-9223372036854775808,"c":1e3}'
    const { value } = parseJson(text)
    expect(value).toEqual({ a: 9007199254740993n, b: -(2n ** 63n), c: 1000 })
    expect(stringifyJson(value)).toBe('{"a":9007199254740993,"b":-9223372036854775808,"c":1000}')
  })

  test('turns integers of more than 64 bits into doubles, and rejects numbers that overflow a double', () => {
    expect(parseJson('99999999999999999999').value).toBe(1e20)
    expect(catchMessage('[1e999]')).toBe('json: cannot unmarshal number 1e999 into Go value of type float64')
  })

  test('replaces lone surrogates and invalid UTF-8 by U+FFFD', () => {
    expect(parseJson('"\\ud800x"').value).toBe('\ufffdx')
    expect(parseJson(new Uint8Array([0x22, 0xff, 0x22])).value).toBe('\ufffd')
  })

  test('reads 10,000 levels without recursion', () => {
    const text = '['.repeat(10_000) + ']'.repeat(10_000)
    expect(stringifyJson(parseJson(text).value)).toBe(text)
  })

  test('treats __proto__ as an ordinary key', () => {
    const { value } = parseJson('{"__proto__":{"a":1.0},"b":{"__proto__":1,"__proto__":2}}')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'b'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(stringifyJson(value)).toBe('{"__proto__":{"a":1},"b":{"__proto__":2}}')
  })
})

test('uses the last of duplicate keys and lists the paths of duplicate keys in document order', () => {
  const parsed = parseJson('{"m":{"name":"a","name":"b"},"l":[{},{"x":1,"x":2,"x":3}],"m":1}')
  expect(parsed.value).toEqual({ m: 1, l: [{}, { x: 3 }] })
  expect(parsed.duplicates).toEqual(['m.name', 'l[1].x', 'm'])
})

const stringifyWithSpaces = (value: unknown): string => JSON.stringify(value, null, 1)

test('property: reads the output of JSON.stringify like JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = stringifyWithSpaces(value)
      const { value: read, duplicates } = parseJson(text)
      expect(duplicates).toEqual([])
      if (!/[0-9]{16}|\\u[dD][89a-fA-F]/.test(text)) expect(read).toEqual(JSON.parse(text))
    }),
  )
})

test('property: finds the same duplicate keys as a naive reader', () => {
  const key = fc.constantFrom('a', 'b', 'a"', 'b\\', '{', '1.5')
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }).map((members) => ({ members })),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const duplicates = new Set<string>()
      findDuplicatesNaively(value, '', duplicates)
      expect(parseJson(write(value)).duplicates).toEqual([...duplicates].sort(createComparisonByAppearance(duplicates)))
    }),
  )
})

type Tree = number | Tree[] | { members: [string, Tree][] }

function write(tree: Tree): string {
  if (typeof tree === 'number') return String(tree)
  if (Array.isArray(tree)) return `[${tree.map(write).join(' , ')}]`
  return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)} : ${write(value)}`).join(',')}}`
}

function findDuplicatesNaively(tree: Tree, path: string, duplicates: Set<string>): void {
  if (typeof tree === 'number') return
  if (Array.isArray(tree)) return tree.forEach((item, i) => findDuplicatesNaively(item, `${path}[${i}]`, duplicates))
  const visited = new Set<string>()
  for (const [key, value] of tree.members) {
    const here = path === '' ? key : `${path}.${key}`
    if (visited.has(key)) duplicates.add(here)
    visited.add(key)
    findDuplicatesNaively(value, here, duplicates)
  }
}

function createComparisonByAppearance(duplicates: Set<string>): (a: string, b: string) => number {
  const order = [...duplicates]
  return (a, b) => order.indexOf(a) - order.indexOf(b)
}

test('property: reads any bytes or rejects them with a JsonError', () => {
  const jsonish = fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '\\', 'u', '1', '0', '.', 'e', '-', 't', 'true', 'null', ' ', 'é', 'd800'),
  })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), jsonish), (input) => {
      const text = typeof input === 'string' ? input : Buffer.from(input).toString('utf8')
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      expect(catchMessage(input) === '').toBe(valid)
    }),
    { numRuns: 500 },
  )
})

describe('parseJsonRequest', () => {
  const isTooLarge = async (text: string): Promise<boolean> => {
    try {
      await parseJsonRequest(Buffer.from(text))
      return false
    } catch (error) {
      return isApiError(error, 'RequestEntityTooLarge')
    }
  }
  const list = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join(',')}]`

  test('parses a document with the maximum number of values', async () => {
    expect((await parseJsonRequest(Buffer.from(list(maxRequestValues, '""')))).value).toHaveLength(maxRequestValues)
    expect(await isTooLarge(list(maxRequestValues / 2, '{}'))).toBe(false)
    expect(await isTooLarge(`{"a":"${','.repeat(2 * maxRequestValues)}"}`)).toBe(false)
  })

  test('refuses a document with more values', async () => {
    expect(await isTooLarge(list(maxRequestValues + 1, '""'))).toBe(true)
    expect(await isTooLarge(list(maxRequestValues, '[0]'))).toBe(true)
    expect(await isTooLarge(list(maxRequestValues / 2 + 1, '{"a":1}'))).toBe(true)
    expect(await isTooLarge(`{${Array.from({ length: maxRequestValues + 1 }, (_, n) => `"k${n}":1`).join(',')}}`)).toBe(true)
  })
})
