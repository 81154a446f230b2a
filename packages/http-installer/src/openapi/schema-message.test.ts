import { expect, it } from 'vitest'
import { SchemaEncoder } from './schema-message.ts'

const schema = {
  description: 'd',
  type: 'object',
  title: 't',
  format: 'f',
  maximum: 1.5,
  exclusiveMaximum: true,
  minimum: 0,
  multipleOf: 2,
  maxLength: 300,
  minLength: 1,
  pattern: 'p',
  maxItems: 3,
  minItems: 2,
  uniqueItems: true,
  maxProperties: 5,
  minProperties: 4,
  enum: [1],
  required: ['a'],
  properties: {
    a: { type: 'array', items: { $ref: '#/definitions/x' } },
    b: { additionalProperties: true },
    c: { additionalProperties: { type: 'string' } },
  },
  externalDocs: { description: 'e', url: 'https://u' },
  example: 1,
  'x-a': true,
  'x-b': 2,
}

/** The message of `schema` as the Go library gnostic-models v0.7.0 encodes it. */
const encoded =
  '1201661a017422016431000000000000004039000000000000f83f400158ac0260016a0170700378028001018801059001049a010161a201041202310a' +
  'b201080a066f626a656374ca014a0a250a01611220b201070a056172726179ba01130a110a0f232f646566696e6974696f6e732f780a0a0a01621205aa' +
  '010210010a150a01631210aa010d0a0bb201080a06737472696e67ea010e0a0165120968747470733a2f2f75f201041202310afa010e0a03782d611207' +
  '1205747275650afa010b0a03782d6212041202320a'

it('encodes schemas like the library that kubectl decodes them with', () => {
  const encoder = new SchemaEncoder()
  for (let i = 0; i < 2; i++) expect(Buffer.from(encoder.encode(schema)).toString('hex')).toBe(encoded)
})

it('pauses while it encodes a large schema', () => {
  const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, { type: 'string' }]))
  const steps = new SchemaEncoder().encodeInSteps({ type: 'object', properties })
  let pauses = 0
  for (let step = steps.next(); step.done !== true; step = steps.next()) pauses++
  expect(pauses).toBeGreaterThan(10)
})
