import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseAnyYaml } from './parse-yaml.ts'
import { readPlainYaml } from './read-plain-yaml.ts'
import { toYaml } from './to-yaml.ts'

/** What the parser of all of YAML says, or that it refuses. */
function slow(text: string): unknown {
  try {
    return parseAnyYaml(text)
  } catch {
    return 'refused'
  }
}

function agrees(text: string): boolean {
  const quick = readPlainYaml(text)
  if (quick === undefined) return true
  expect({ value: quick, duplicates: [] }, text).toEqual(slow(text))
  expect(JSON.stringify(quick), text).toBe(JSON.stringify((slow(text) as { value: unknown }).value))
  return true
}

it('reads what people write', () => {
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
  agrees(text)
})

it.each([
  'a: b: c',
  'a: b\n  c',
  'a: 1\na: 2',
  'y: 1',
  'a: |\n  x',
  'a: b #c',
  'a: &x 1\nb: *x',
  '- - a',
  'a:\n- b\n c: d',
  '---\na: b',
  'a: [b]',
  'a: "x\\n"',
  'a: .inf',
  ' a: b',
  'a:\n  b: c\n d: e',
  '- a\nb: c',
  'a: b\n- c',
  'a',
  '',
])('leaves %j to the parser', (text) => {
  expect(readPlainYaml(text)).toBeUndefined()
})

it('reads what is written as YAML as the parser of all of it does', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 4 }), (json) => agrees(toYaml(JSON.parse(json) as never))))
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
  fc.assert(fc.property(text, agrees), { numRuns: 5000 })
})
