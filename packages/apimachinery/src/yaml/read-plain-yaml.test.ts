import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringifyJson } from '../go-text.ts'
import { parseFullYaml } from './parse-yaml.ts'
import { readPlainYaml } from './read-plain-yaml.ts'
import { toYaml } from './to-yaml.ts'

/** Returns the result or the error of the full parser. */
function parseSlowly(text: string): unknown {
  try {
    return parseFullYaml(text)
  } catch {
    return 'refused'
  }
}

function hasSameResult(text: string): boolean {
  const quick = readPlainYaml(text)
  if (quick === undefined) return true
  expect({ value: quick, duplicates: [] }, text).toEqual(parseSlowly(text))
  expect(stringifyJson(quick), text).toBe(stringifyJson((parseSlowly(text) as { value: unknown }).value))
  return true
}

it('reads common documents like the full parser', () => {
  const text = `# A comment
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {}
  annotations:
    app.kubernetes.io/name: "web: 1"
spec:
  containers:
  - name: c
    image: registry.example.com:5000/a/b@sha256:00ff

    args: []
    ports:
      - containerPort: 80
        protocol: TCP
    command:
    - sh
    - -c
    - 'exec web'
  priority: 010
  hostNetwork: yes
  empty:
`
  expect(readPlainYaml(text)).toMatchObject({
    spec: {
      containers: [{ ports: [{ containerPort: 80 }], command: ['sh', '-c', 'exec web'] }],
      priority: 8,
      hostNetwork: true,
      empty: null,
    },
  })
  hasSameResult(text)
})

it('reads block scalars, brackets and quotes', () => {
  const text = `---
data:
  "quoted.key": "a\\tb \\"c\\""
  single: 'it''s: # fine'
  empty: ""
  literal: |
    # no comment
    server {
      listen 80;\t# ünïcode

      a: [b
    }

  stripped: |-
      deep
     
  kept: |+
    x


  folded: >
    one
    two


    three
  none: |
list: [a, 1, "b, c", {x: 'y', z: []}]
map: {b: [1, -2], a: yes} # a map
commented: # below
  plain: x y # not z
  quoted: "a # b" # c
  text: | # why not
    z
- never
`.replace('- never\n', 'items:\n- |\n  a\n- >-\n  b\n  c\n')
  expect(readPlainYaml(text)).toEqual({
    data: {
      'quoted.key': 'a\tb "c"',
      single: "it's: # fine",
      empty: '',
      literal: '# no comment\nserver {\n  listen 80;\t# ünïcode\n\n  a: [b\n}\n',
      stripped: 'deep',
      kept: 'x\n\n\n',
      folded: 'one two\n\nthree\n',
      none: '',
    },
    list: ['a', 1, 'b, c', { x: 'y', z: [] }],
    map: { b: [1, -2], a: true },
    commented: { plain: 'x y', quoted: 'a # b', text: 'z\n' },
    items: ['a\n', 'b c'],
  })
  hasSameResult(text)
})

it.each([
  'a: b: c',
  'a: b\n  c',
  'a: 1\na: 2',
  'y: 1',
  'a: |\n  x',
  'a: |2\n  x\n',
  'a: |  \n    \n  x\n',
  'a: >\n  x\n   y\n',
  'a: |\n    x\n  # c\nb: c\n',
  'a: [b,\n c]',
  'a: [b, ]',
  'a: {b: c, b: d}',
  'a: {y: c}',
  'a: [http://x]',
  'a: "x\\u0041"',
  'a: "b" c',
  'a: &x 1\nb: *x',
  '- - a',
  'a:\n- b\n c: d',
  '---\na: b\n---\nc: d\n',
  '...\na: b',
  'a: .inf',
  ' a: b',
  'a:\n  b: c\n d: e',
  '- a\nb: c',
  'a: b\n- c',
  'a',
  '',
])('leaves %j to the full parser', (text) => {
  expect(readPlainYaml(text)).toBeUndefined()
})

it('visits each line once, even if it has many spaces', () => {
  const spaces = ' '.repeat(1_000_000)
  expect(readPlainYaml(`a: x${spaces}y${spaces}\nb: z${spaces}w${spaces}# c\n`)).toEqual({ a: `x${spaces}y`, b: `z${spaces}w` })
})

it('property: reads generated YAML like the full parser', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 4 }), (json) => hasSameResult(toYaml(JSON.parse(json) as never))))
  const scalar = fc.constantFrom(
    '1',
    '1e3',
    '0x1F',
    '017',
    '1_000',
    'yes',
    'No',
    '~',
    'null',
    '.5',
    '-',
    '-1',
    '2001-01-01',
    '1:30',
    'a b',
    'a:b',
    'x-',
    '"q"',
    "'s'",
    'True',
    '+1',
    'a, b',
    '',
  )
  const key = fc.constantFrom('a', 'b', 'c.d/e', 'on', 'n', 'N', 'null', 'x-y', '_z', 'e1')
  const line = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom('', '- ', '-  ', '- - '), fc.option(key), scalar)
  const text = fc
    .array(line, { maxLength: 9 })
    .map((lines) =>
      lines.map(([indent, dash, name, value]) => `${' '.repeat(indent)}${dash}${name === null ? '' : `${name}: `}${value}`).join('\n'),
    )
  fc.assert(fc.property(text, hasSameResult), { numRuns: 5000 })
})

it('property: reads strings, brackets and quotes like the full parser', () => {
  const header = fc.constantFrom('|', '>', '|-', '>-', '|+', '>+')
  const line = fc.constantFrom('x', 'y z', '', ' ', '   ', '  indented', '# c', 'a: b', '- i', '\tt', '---', 'é')
  const block = fc
    .tuple(
      fc.constantFrom('a: ', '- ', 'a:\n- ', 'a:\n  b: ', '- c: '),
      header,
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), line), { maxLength: 6 }),
    )
    .map(([start, head, lines]) => `${start}${head}\n${lines.map(([indent, text]) => ' '.repeat(indent) + text).join('\n')}`)
  const text = fc.tuple(block, fc.constantFrom('', '\n', '\nb: c\n', '\n\n\n', '\n# end\n')).map((parts) => parts.join(''))
  fc.assert(fc.property(text, hasSameResult), { numRuns: 5000 })
  const pieces = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    ', ',
    ': ',
    ':',
    ' ',
    'a',
    'b c',
    '1',
    'yes',
    '"q"',
    "'s'",
    "''",
    '"\\n"',
    '-',
    '-1',
    '#',
    ' #',
    '&x',
    '*x',
    '?',
    '"',
    "'",
  )
  const flow = fc
    .tuple(fc.constantFrom('a: ', '- ', ''), fc.constantFrom('[', '{a: ', '"', "'", '{"a": '), fc.array(pieces, { maxLength: 8 }))
    .map(([start, open, rest]) => `${start}${open}${rest.join('')}${open === '[' ? ']' : open.startsWith('{') ? '}' : open}`)
  fc.assert(fc.property(flow, hasSameResult), { numRuns: 10_000 })
})
