import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from './parse-yaml.ts'
import { toYaml } from './to-yaml.ts'

const parseValue = (text: string): unknown => parseYaml(text).value
const catchMessage = (text: string): string => {
  try {
    parseYaml(text)
  } catch (e) {
    expect((e as Error).name).toMatch(/^(?:Yaml|Json)Error$/)
    return (e as Error).message
  }
  return ''
}

describe('YAML scalars', () => {
  test.each<[string, unknown]>([
    ['[y, Y, yes, on, True]', [true, true, true, true, true]],
    ['[n, NO, off, FALSE]', [false, false, false, false]],
    ['[~, null, Null, ""]', [null, null, null, '']],
    ['[0777, 0o17, 0x1F, 0b11, 1_000, +5, -0x10]', [511, 15, 31, 3, 1000, 5, -16]],
    ['[08, 1., .5, 1e3, 1.0]', [8, 1, 0.5, 1000, 1]],
    ['[1:30, 12:30:45, 0x, 1.2.3, ._5, 1e999]', ['1:30', '12:30:45', '0x', '1.2.3', '._5', '1e999']],
    ['[2001-01-01, 2001-01-01T00:00:00Z]', ['2001-01-01', '2001-01-01T00:00:00Z']],
    ['[9007199254740993, 18446744073709551615, 18446744073709551616]', [9007199254740993n, 18446744073709551615n, 18446744073709551616]],
    ['["yes", \'1\', !!str 1, !foo 1]', ['yes', '1', '1', '1']],
    ['[!!int "3", !!float 1, !!bool "yes", !!binary aGVsbG8=]', [3, 1, true, 'hello']],
  ])('reads %s', (text, expected) => {
    expect(parseValue(text)).toEqual(expected)
  })

  test('rejects numbers that JSON cannot represent', () => {
    expect(catchMessage('a: .nan')).toBe('json: unsupported value: NaN')
    expect(catchMessage('a: -.inf')).toBe('json: unsupported value: -Inf')
  })
})

describe('YAML structure', () => {
  test('converts keys to strings and sorts them', () => {
    expect(JSON.stringify(parseValue('b: 1\ntrue: 2\n2.5: 3\n0x10: 4\na: 5'))).toBe('{"16":4,"2.5":3,"a":5,"b":1,"true":2}')
    expect(catchMessage('null: a')).toBe('unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"')
  })

  test('reads only the first document', () => {
    expect(parseValue('---\na: 1\n---\nb: [')).toEqual({ a: 1 })
    expect(parseValue('')).toBe(null)
  })

  test('reads block scalars', () => {
    expect(parseValue('a: |\n  x\n  y\nb: >-\n  x\n  y\n')).toEqual({ a: 'x\ny\n', b: 'x y' })
    expect(parseValue('a: |\n  x')).toEqual({ a: 'x' })
  })

  test('applies merge keys at their position', () => {
    expect(parseValue('<<: {a: 1, b: 2}\nb: 3')).toEqual({ a: 1, b: 3 })
    expect(parseValue('b: 3\n<<: {a: 1, b: 2}')).toEqual({ a: 1, b: 2 })
    expect(parseValue('x: &x {a: 1}\nz:\n  <<: [*x, {a: 2, c: 3}]')).toEqual({ x: { a: 1 }, z: { a: 1, c: 3 } })
    expect(catchMessage('<<: 1')).toBe('yaml: map merge requires map or sequence of maps as the value')
  })

  test('uses the last of duplicate keys and reports their lines in strict mode', () => {
    const parsed = parseYaml('a: 1\na: 2\nb:\n  c: 1\n  c: 2\n')
    expect(parsed.value).toEqual({ a: 2, b: { c: 2 } })
    expect(parsed.duplicates).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 5: key "c" already set in map',
    ])
  })

  test('reads JSON', () => {
    expect(parseYaml('{"b": [1, 9007199254740993], "a": "yes"}').value).toEqual({ a: 'yes', b: [1, 9007199254740993n] })
    expect(parseYaml('{"a":1,"a":2}').duplicates).toEqual(['yaml: unmarshal errors:\n  line 1: key "a" already set in map'])
  })
})

describe('YAML aliases', () => {
  test('are replaced by the value of their anchor', () => {
    expect(parseValue('a: &x {b: 1}\nc: *x')).toEqual({ a: { b: 1 }, c: { b: 1 } })
    expect(catchMessage('a: *x')).toBe("yaml: unknown anchor 'x' referenced")
    expect(catchMessage('a: &x [*x]')).toBe("yaml: anchor 'x' value contains itself")
  })

  test('cannot expand a small text to a large value', () => {
    const levels = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
    expect(catchMessage(`a0: &a0 [x]\n${levels.join('\n')}`)).toBe('yaml: document contains excessive aliasing')
  })
})

describe('YAML errors', () => {
  test.each([
    ['a: [b', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: 1\n b: 2', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a:\n\tb: c', 'yaml: line 2: found character that cannot start any token'],
    ['- a\nc: d', "yaml: line 1: did not find expected '-' indicator"],
    ['a: 1\nb', "yaml: line 3: could not find expected ':'"],
    ['a: b\n- c', 'yaml: line 1: did not find expected key'],
    ['a:\n  b: c\n  - d\n', 'yaml: line 2: did not find expected key'],
    ['a: b\n- c\nd: e', 'yaml: line 1: did not find expected key'],
    ['a: b\n-c', "yaml: line 3: could not find expected ':'"],
    ['a: "b', 'yaml: found unexpected end of stream'],
    ['a: ]', 'yaml: did not find expected node content'],
    ['a: \0', 'yaml: control characters are not allowed'],
  ])('rejects %j', (text, message) => {
    expect(catchMessage(text)).toBe(message)
  })

  test.each([
    ['lists in brackets', '[', ''],
    ['maps in braces', '{a: ', ''],
    ['lists on one line', '- ', ''],
    ['keys of keys', '? ', ''],
    ['lists in brackets, on the third line', '[', 'a: 1\nb: 2\nc: '],
  ])('reads %s to the same depth as kube-apiserver', (_, part, before) => {
    const start = process.cpuUsage()
    expect(catchMessage(before + part.repeat(1_000_000))).toBe(`yaml: ${before === '' ? '' : 'line 3: '}exceeded max depth of 10000`)
    const { user } = process.cpuUsage(start)
    expect(user / 1000).toBeLessThan(1_000)
  })

  test('rejects text that is nested too deeply for the stack', () => {
    for (const depth of [500, 1_300, 9_900]) {
      const lists = `${'['.repeat(depth)}${']'.repeat(depth)}`
      for (const text of [lists, `{a: ${lists}}`, '- '.repeat(depth)]) expect(catchMessage(text)).toBe('yaml: exceeded max depth')
    }
    for (const depth of [300, 1_100]) expect(catchMessage(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toBe('')
    expect(catchMessage(`{a: ${'['.repeat(300)}${']'.repeat(300)}}`)).toBe('')
  })
})

test('property: reading printed YAML returns the same value', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '-', "'", '"', '1', '0', 'é', ',', '[', '&', 'yes', '.', '\t') }),
    fc.constantFrom('yes', 'null', '1', '0x1', '1e3', '2001-01-01', '~', '<<', '1:30', 'word '.repeat(30)),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((n) => !Object.is(n, -0)),
      fc.array(tie('tree')),
      fc.dictionary(text, tie('tree')),
    ),
  }))
  fc.assert(
    fc.property(tree, (input) => {
      // Control characters are invalid in YAML. Like kube-apiserver, `toYaml` writes a key << without quotes, so that it is read back as a merge
      // key.
      if (/(?!\n)\p{Cc}|[\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}|\\[bfrt]|\\u|"<<":/u.test(JSON.stringify(input))) return
      expect(parseYaml(toYaml(input)).value).toEqual(input)
    }),
    { numRuns: 200 },
  )
})

test('property: throws only JsonError for any text', () => {
  const yamlish = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '|',
      '>',
      '&a',
      '*a',
      '!',
      '#',
      '<<',
      '? ',
      '\t',
      '%',
      '@',
      '---',
      '...',
      '1',
      '~',
    ),
  })
  fc.assert(
    fc.property(fc.oneof(yamlish, fc.string({ unit: 'binary' })), (text) => void catchMessage(text)),
    { numRuns: 300 },
  )
})
