import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DecodeOptions } from './decode-context.ts'
import { canonicalizeStruct, decodeJson, decodeStruct } from './decode-struct.ts'
import { formatStrictDecodingMessage, wasSentEmpty } from './decode-context.ts'
import { encodeJson } from './go-text.ts'
import { parseJson } from './json-document.ts'
import type { ParsedJson } from './json-document.ts'
import type { JsonValue } from './meta.ts'
import type { FieldSchema, StructSchema, TypeSchema } from './type-schema.ts'

function createStruct(name: string, fields: readonly FieldSchema[], extra: Partial<StructSchema> = {}): StructSchema {
  return {
    kind: 'struct',
    name,
    definition: `io.k8s.api.core.v1.${name}`,
    fields,
    byName: new Map(fields.map((f) => [f.name, f])),
    ...extra,
  }
}

const meta = createStruct('ObjectMeta', [
  { name: 'name', type: { kind: 'string' }, omit: 'empty' },
  { name: 'creationTimestamp', type: { kind: 'time' }, omit: 'zero' },
  { name: 'deletionTimestamp', type: { kind: 'time' }, omit: 'empty', pointer: true },
  { name: 'labels', type: { kind: 'map', values: { kind: 'string' } }, omit: 'empty' },
])
const port = createStruct('ContainerPort', [
  { name: 'containerPort', type: { kind: 'int32' } },
  { name: 'target', type: { kind: 'intOrString' }, omit: 'empty' },
])
const container = createStruct('Container', [
  { name: 'name', type: { kind: 'string' } },
  { name: 'ports', type: { kind: 'list', items: port }, omit: 'empty' },
  { name: 'limits', type: { kind: 'map', values: { kind: 'quantity' }, goName: 'v1.ResourceList' }, omit: 'empty' },
  {
    name: 'probe',
    type: createStruct('Probe', [{ name: 'period', type: { kind: 'int64' }, omit: 'empty' }]),
    omit: 'empty',
    pointer: true,
  },
])
const spec = createStruct('PodSpec', [
  { name: 'containers', type: { kind: 'list', items: container } },
  {
    name: 'hostPath',
    type: createStruct('HostPathVolumeSource', [{ name: 'path', type: { kind: 'string' } }]),
    omit: 'empty',
    pointer: true,
    embedded: ['VolumeSource'],
  },
  { name: 'grace', type: { kind: 'int64' }, omit: 'empty', pointer: true },
  { name: 'policy', type: { kind: 'string', goName: 'v1.RestartPolicy' }, omit: 'empty' },
  { name: 'data', type: { kind: 'map', values: { kind: 'bytes' } }, omit: 'empty' },
  { name: 'eventTime', type: { kind: 'microTime' } },
  { name: 'raw', type: { kind: 'rawExtension' }, omit: 'empty' },
])
const pod = createStruct(
  'Pod',
  [
    { name: 'metadata', type: meta, omit: 'empty' },
    { name: 'spec', type: spec, omit: 'empty' },
  ],
  { gvk: { group: '', version: 'v1', kind: 'Pod' } },
)

const decode = (text: string, options?: DecodeOptions): { json: string; strict: readonly string[] } => {
  const { object, strictErrors } = decodeJson(pod, text, options)
  return { json: encodeJson(pod, object), strict: strictErrors }
}
const formatInSpec = (text: string): string => `{"spec":${text}}`

describe('decoding to the canonical form', () => {
  test('orders fields, writes required fields, and drops empty fields, kind and apiVersion', () => {
    expect(decode('{"kind":"Pod","apiVersion":"v1"}').json).toBe('{"metadata":{},"spec":{"containers":null,"eventTime":null,"raw":null}}')
    expect(
      decode('{"spec":{"policy":"","grace":0,"containers":[{"ports":[],"probe":{},"name":"a"}]},"metadata":{"labels":{},"name":"x"}}').json,
    ).toBe('{"metadata":{"name":"x"},"spec":{"containers":[{"name":"a","probe":{}}],"grace":0,"eventTime":null,"raw":null}}')
  })

  test('turns null into the zero value, or drops the field', () => {
    expect(
      decode(formatInSpec('{"containers":[null,{"ports":[null],"limits":{"cpu":null},"probe":null}],"grace":null,"data":{"a":null}}')).json,
    ).toBe(
      '{"metadata":{},"spec":{"containers":[{"name":""},{"name":"","ports":[{"containerPort":0,"target":0}],"limits":{"cpu":"0"}}],"data":{"a":""},"eventTime":null,"raw":null}}',
    )
    expect(decode('null').json).toBe(decode('{}').json)
  })

  test('normalizes quantities, times and base64; sorts maps', () => {
    const { json } = decode(
      '{"metadata":{"creationTimestamp":"2020-01-01T02:00:00.5+02:00","labels":{"b":"1","a":"2"}},"spec":{"containers":[{"limits":{"m":"1024Mi","c":"1000m","x":0.5,"e":1e3}}],"data":{"a":"YW\\nJj"},"eventTime":"2020-01-01T00:00:00.120000Z","raw":{"b":1,"a":null}}}',
    )
    expect(json).toBe(
      '{"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","labels":{"a":"2","b":"1"}},"spec":{"containers":[{"name":"","limits":{"c":"1","e":"1e3","m":"1Gi","x":"500m"}}],"data":{"a":"YWJj"},"eventTime":"2020-01-01T00:00:00.120000Z","raw":{"b":1,"a":null}}}',
    )
  })

  test('turns empty required lists into null, unless the caller keeps them', () => {
    expect(decode(formatInSpec('{"containers":[]}')).json).toContain('"containers":null')
    expect(decode(formatInSpec('{"containers":[]}'), { keepEmptyLists: true }).json).toContain('"containers":[]')
  })

  test('keeps 64-bit integers exact', () => {
    expect(decode(formatInSpec('{"grace":9007199254740993}')).json).toContain('"grace":9007199254740993')
    expect(decodeJson<{ spec: { grace: unknown } }>(pod, formatInSpec('{"grace":9223372036854775807}')).object.spec.grace).toBe(
      2n ** 63n - 1n,
    )
  })
})

describe('type errors', () => {
  const locateAt = (field: string, subject: string, type: string): string =>
    `json: cannot unmarshal ${subject} into Go struct field ${field} of type ${type}`
  test.each([
    ['[]', 'json: cannot unmarshal array into Go value of type v1.Pod'],
    ['{"spec":"x"}', locateAt('Pod.spec', 'string', 'v1.PodSpec')],
    [formatInSpec('{"containers":{}}'), locateAt('PodSpec.spec.containers', 'object', '[]v1.Container')],
    [formatInSpec('{"containers":[{},{"name":1}]}'), locateAt('Container.spec.containers.name', 'number', 'string')],
    [
      formatInSpec('{"containers":[{"ports":[{"containerPort":"x"}]}]}'),
      locateAt('ContainerPort.spec.containers.ports.containerPort', 'string', 'int32'),
    ],
    [
      formatInSpec('{"containers":[{"ports":[{"containerPort":2147483648}]}]}'),
      locateAt('ContainerPort.spec.containers.ports.containerPort', 'number 2147483648', 'int32'),
    ],
    [
      formatInSpec('{"containers":[{"ports":[{"containerPort":1.0}]}]}'),
      locateAt('ContainerPort.spec.containers.ports.containerPort', 'number 1.0', 'int32'),
    ],
    [
      formatInSpec('{"containers":[{"ports":[{"target":1.5}]}]}'),
      locateAt('ContainerPort.spec.containers.ports.target', 'number 1.5', 'int32'),
    ],
    [formatInSpec('{"containers":[{"limits":"x"}]}'), locateAt('Container.spec.containers.limits', 'string', 'v1.ResourceList')],
    [formatInSpec('{"grace":1e3}'), locateAt('PodSpec.spec.grace', 'number 1e3', 'int64')],
    [formatInSpec('{"grace":99999999999999999999}'), locateAt('PodSpec.spec.grace', 'number 99999999999999999999', 'int64')],
    [formatInSpec('{"policy":true}'), locateAt('PodSpec.spec.policy', 'bool', 'v1.RestartPolicy')],
    [formatInSpec('{"hostPath":{"path":1}}'), locateAt('HostPathVolumeSource.spec.VolumeSource.hostPath.path', 'number', 'string')],
    [formatInSpec('{"data":{"a":1}}'), locateAt('PodSpec.spec.data', 'number', '[]uint8')],
    [formatInSpec('{"data":{"a":"YWJ"}}'), 'illegal base64 data at input byte 0'],
    ['{"metadata":{"labels":{"a":1}}}', locateAt('ObjectMeta.metadata.labels', 'number', 'string')],
    ['{"metadata":{"creationTimestamp":1}}', locateAt('ObjectMeta.metadata.creationTimestamp', 'number', 'string')],
    ['{"metadata":{"creationTimestamp":"x"}}', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  ])('rejects %s with the message of Go', (text, message) => {
    expect(() => decode(text)).toThrow(message)
  })

  test('reports the first mismatch in the document, unless a later one ends decoding', () => {
    expect(() => decode(formatInSpec('{"policy":1,"grace":"x"}'))).toThrow(/policy/)
    expect(() => decode(formatInSpec('{"policy":1,"containers":[{"limits":{"cpu":"abc"}}]}'))).toThrow(
      'quantities must match the regular expression',
    )
  })
})

describe('strict decoding', () => {
  test('lists unknown and duplicate fields in document order', () => {
    const text =
      '{"metadata":{"name":"a","name":"b","bogus":{"x":1,"x":2}},"spec":{"containers":[{},{"Name":"x","limits":{"a":"1","a":"2"}}]},"bogus":1}'
    const { strict } = decode(text, { strict: 'Strict' })
    expect(formatStrictDecodingMessage(strict)).toBe(
      'strict decoding error: duplicate field "metadata.name", unknown field "metadata.bogus", unknown field "spec.containers[1].Name", duplicate field "spec.containers[1].limits.a", unknown field "bogus"',
    )
    expect(decode(text).strict).toEqual([])
  })

  test('lists at most a hundred errors, without duplicates', () => {
    const many = Array.from({ length: 300 }, (_, i) => `"f${i % 150}":1`).join(',')
    expect(decode(`{${many}}`, { strict: 'Warn' }).strict).toHaveLength(100)
  })

  test('does not check opaque values', () => {
    expect(decode(formatInSpec('{"raw":{"a":1,"a":2}}'), { strict: 'Warn' }).strict).toEqual([])
  })
})

test('property: decoding is idempotent and does not modify its input', () => {
  const text = fc.constantFrom('', 'a', '<&>', '\u2028', '__proto__')
  const value = fc.record(
    {
      metadata: fc.record({ name: text, labels: fc.dictionary(text, text) }, { requiredKeys: [] }),
      spec: fc.record(
        {
          policy: text,
          grace: fc.oneof(fc.integer(), fc.constant(null)),
          data: fc.dictionary(
            text,
            fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
          ),
          containers: fc.array(
            fc.record(
              { limits: fc.dictionary(text, fc.constantFrom('1', '0.5', '1500Mi', 3)), unknown: fc.anything({ maxDepth: 1 }) },
              { requiredKeys: [] },
            ),
          ),
          raw: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(value, (input) => {
      const before = structuredClone(input)
      const decoded = decodeStruct(pod, input as JsonValue).object
      const once = encodeJson(pod, decoded)
      expect(encodeJson(pod, canonicalizeStruct(pod, decoded))).toBe(once)
      expect(encodeJson(pod, canonicalizeStruct(pod, input))).toBe(once)
      expect(input).toEqual(before)
      expect(encodeJson(pod, decodeJson(pod, once).object)).toBe(once)
    }),
  )
})

test('shares unchanged canonical parts with the input', () => {
  const containers = [{ name: 'c' }]
  const spec = { containers, eventTime: null, raw: null }
  const changed = { spec, metadata: { labels: { b: '1', a: '2' }, creationTimestamp: '2026-01-31T00:00:00+00:00', name: 'n' } }
  const object = canonicalizeStruct(pod, changed)
  expect(JSON.stringify(object)).toBe(
    '{"metadata":{"name":"n","creationTimestamp":"2026-01-31T00:00:00Z","labels":{"a":"2","b":"1"}},"spec":{"containers":[{"name":"c"}],"eventTime":null,"raw":null}}',
  )
  expect(object.spec).toBe(spec)
  expect(canonicalizeStruct(pod, object)).toBe(object)
  expect(JSON.stringify(canonicalizeStruct(pod, { ...object, kind: 'Pod', spec: { containers } }))).toBe(JSON.stringify(object))
})

/** Generates texts of objects with members in any order, duplicated, empty, null, unknown or of the wrong type. */
function generateText(type: TypeSchema, depth = 0): fc.Arbitrary<string> {
  const odd = fc.constantFrom('null', '{}', '[]', '""', '0', '1.0', '"x"', '{"b":"1","a":"2"}')
  const preferRight = (right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.oneof({ weight: 50, arbitrary: right }, { weight: 1, arbitrary: odd })
  switch (type.kind) {
    case 'struct': {
      const members = type.fields.map((field) => generateText(field.type, depth + 1).map((text) => `${JSON.stringify(field.name)}:${text}`))
      const member = fc.oneof(...members, ...(depth === 0 ? members : [fc.constant('"other":{"a":[]}')]))
      const ordered = fc.tuple(...members.map((text) => fc.option(text))).map((texts) => texts.filter((text) => text !== null))
      return preferRight(fc.oneof(ordered, ordered, fc.array(member, { maxLength: 4 })).map((texts) => `{${texts.join(', ')}}`))
    }
    case 'list':
      return preferRight(fc.array(generateText(type.items, depth + 1), { maxLength: 2 }).map((texts) => `[${texts.join(',')}]`))
    case 'map': {
      const entry = fc.tuple(fc.constantFrom('a', 'b', '10', '9', '__proto__'), generateText(type.values, depth + 1))
      return preferRight(
        fc.array(entry, { maxLength: 3 }).map((entries) => `{${entries.map(([key, text]) => `"${key}":${text}`).join(',')}}`),
      )
    }
    case 'int32':
    case 'int64':
    case 'intOrString':
      return preferRight(fc.integer().map(String))
    case 'rawExtension':
      return fc.oneof(odd, fc.json(), fc.constant('{"a":12345678901234567890,"a":{}}'))
    case 'quantity':
      return preferRight(fc.constantFrom('"500m"', '"0.5"', '2'))
    case 'time':
    case 'microTime':
      return preferRight(fc.constantFrom('"2026-01-31T00:00:00Z"', '"2026-01-31T00:00:00+00:00"'))
    default:
      return preferRight(fc.constantFrom('"a"', '"YQ=="').filter((text) => type.kind !== 'bytes' || text === '"YQ=="'))
  }
}

test('property: decodes owned input to the same result on every run', () => {
  const options = fc.record({
    strict: fc.constantFrom('Strict' as const, 'Ignore' as const),
    keepTypeMeta: fc.boolean(),
    keepEmptyLists: fc.boolean(),
  })
  fc.assert(
    fc.property(generateText(pod), options, (text, chosen) => {
      const decodeToOutcome = (input: ParsedJson, owned: boolean): unknown => {
        try {
          const { object, ...rest } = decodeStruct(pod, input, { ...chosen, owned })
          return { json: encodeJson(pod, object), noLabels: wasSentEmpty(object['metadata'] as object, 'labels'), ...rest }
        } catch (e) {
          return (e as Error).message
        }
      }
      const expected = decodeToOutcome(parseJson(text), false)
      const input = parseJson(text)
      expect(decodeToOutcome(input, true)).toEqual(expected)
      expect(decodeToOutcome(input, false)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('shares nothing between two decodings', () => {
  const parsed = parseJson('{"metadata":{"name":"n","labels":{"a":"1"}},"spec":{"containers":[{"name":"c"}],"eventTime":null}}')
  const first = decodeStruct<{ metadata: { labels: { a: string } }; spec: { containers: { name: string }[] } }>(pod, parsed, {
    owned: true,
  })
  const second = decodeStruct(pod, parsed).object
  first.object.metadata.labels.a = '2'
  first.object.spec.containers[0]!.name = 'd'
  expect(encodeJson(pod, second)).toContain('{"name":"n","labels":{"a":"1"}},"spec":{"containers":[{"name":"c"}]')
})

test('property: decodes any JSON or throws a JsonError', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      try {
        decodeStruct(pod, parseJson(`{"spec":{"containers":[${text}],"raw":${text}},"metadata":${text}}`), { strict: 'Strict' })
      } catch (e) {
        expect((e as Error).name).toBe('JsonError')
      }
    }),
  )
})

test('supports recursive types', () => {
  const fields: FieldSchema[] = []
  const node = createStruct('Node', fields)
  fields.push({ name: 'next', type: node, omit: 'empty', pointer: true })
  ;(node.byName as Map<string, FieldSchema>).set('next', fields[0]!)
  const nest = (depth: number): string => `${'{"next":'.repeat(depth)}{}${'}'.repeat(depth)}`
  expect(encodeJson(node, decodeJson(node, nest(300)).object)).toBe(nest(300))
  for (const depth of [500, 9000]) expect(() => decodeJson(node, nest(depth))).toThrow('exceeded max depth')
})

test('reports the first mismatch in schema order when converting', () => {
  const struct: StructSchema = {
    kind: 'struct',
    name: 'S',
    definition: 'S',
    fields: [
      { name: 'time', type: { kind: 'time' } },
      { name: 'amounts', type: { kind: 'map', values: { kind: 'quantity' } } },
    ],
    byName: new Map(),
  }
  const schema = { ...struct, byName: new Map(struct.fields.map((field) => [field.name, field])) }
  const document = { amounts: { a: 'x' }, time: 0 }
  expect(() => decodeStruct(schema, document)).toThrow('quantities must match')
  expect(() => decodeStruct(schema, document, { converting: true })).toThrow('json: cannot unmarshal number into Go value of type string')
})

describe('decoding a struct that keeps unknown members', () => {
  const open = createStruct('Open', [{ name: 'metadata', type: meta, omit: 'empty' }], {
    keepsUnknown: true,
    gvk: { group: 'example.com', version: 'v1', kind: 'Open' },
  })

  test('writes known members first, then unknown members unchanged and sorted by name', () => {
    const text = '{"z":[1,null,{"b":1,"a":[]}],"kind":"Open","metadata":{"name":"a","other":1},"a":{}}'
    const { object, strictErrors } = decodeJson(open, text, { strict: 'Strict' })
    expect(encodeJson(open, object)).toBe('{"metadata":{"name":"a"},"a":{},"z":[1,null,{"b":1,"a":[]}]}')
    expect(strictErrors).toEqual(['unknown field "metadata.other"'])
  })

  test('reports duplicate members', () => {
    expect(decodeJson(open, '{"a":1,"a":2}', { strict: 'Strict' })).toMatchObject({
      object: { a: 2 },
      strictErrors: ['duplicate field "a"'],
    })
  })

  test('reports wrong types in the metadata without the name of the member', () => {
    expect(() => decodeJson(open, '{"metadata":{"name":1}}')).toThrow(/Go struct field \w+\.name of type string$/)
    expect(() => decodeJson(open, '{"metadata":1}')).toThrow(/^json: cannot unmarshal number into Go value of type /)
  })

  test('gives an object that stays canonical after changes', () => {
    const object = { spec: { b: 1 }, metadata: { name: 'a' }, other: 1 }
    expect(encodeJson(open, canonicalizeStruct(open, object))).toBe('{"metadata":{"name":"a"},"other":1,"spec":{"b":1}}')
  })
})
