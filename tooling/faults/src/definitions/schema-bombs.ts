import type { JsonObject, JsonValue } from '@keelson/apimachinery'

/** A definition that is costly to check, with objects that are costly to validate. */
export interface Bomb {
  readonly name: string
  /** Returns the schema of `spec`. Some are JSON texts, because JSON.stringify cannot write deep values. */
  readonly spec: () => JsonObject | string
  /** Returns the values of `spec` of objects. */
  readonly objects: () => readonly (JsonValue | string)[]
}

const text = { type: 'string' }
const open: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const createObjectSchema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const nest = (depth: number, inner: JsonObject, wrap: (inner: JsonObject) => JsonObject): JsonObject => {
  let schema = inner
  for (let level = 0; level < depth; level++) schema = wrap(schema)
  return schema
}
const nestText = (depth: number, open: string, close: string): string => `${open.repeat(depth)}{"type":"object"}${close.repeat(depth)}`
const nestValue = (depth: number): string => nestText(depth, '{"a":', '}')
const createNone = (): JsonValue[] => []

export const schemaBombs: readonly Bomb[] = [
  { name: 'deep', spec: () => nestText(3000, '{"type":"object","properties":{"a":', '}}'), objects: () => [nestValue(3000)] },
  { name: 'deep-items', spec: () => nestText(2000, '{"type":"array","items":', '}'), objects: createNone },
  {
    name: 'wide',
    spec: () => createObjectSchema(Object.fromEntries(repeat(40_000, (n) => [`f${n}`, text]))),
    objects: () => [Object.fromEntries(repeat(40_000, (n) => [`f${n}`, 'x'])), Object.fromEntries(repeat(100_000, (n) => [`u${n}`, 'x']))],
  },
  {
    name: 'any-of',
    spec: () => createObjectSchema({ a: { ...text, allOf: repeat(100, () => ({ anyOf: repeat(100, (n) => ({ maxLength: n + 1 })) })) } }),
    objects: () => [{ a: 'x'.repeat(200) }, { a: 'x' }],
  },
  {
    name: 'nested-any-of',
    spec: () => {
      const branches = nest(12, { maxLength: 1 }, (inner) => ({ anyOf: [inner, inner] }))
      return createObjectSchema({ a: { ...text, anyOf: [branches, branches] } })
    },
    objects: () => [{ a: 'x'.repeat(200) }],
  },
  {
    name: 'one-of',
    spec: () => ({ type: 'array', items: { ...text, oneOf: repeat(50, (n) => ({ pattern: `^(a|b{1,${n + 1}})*$` })) } }),
    objects: () => [repeat(2000, () => 'ab'.repeat(20))],
  },
  {
    name: 'any-of-enums',
    spec: () => ({
      type: 'array',
      items: { ...text, anyOf: repeat(100, (n) => ({ enum: repeat(500, (m) => `value-${n}-${m}`) })) },
    }),
    objects: () => [repeat(5000, (n) => `value-99-${n % 500}`), repeat(5000, () => 'missing')],
  },
  { name: 'pattern-size', spec: () => createObjectSchema({ a: { ...text, pattern: 'a{1000}'.repeat(1000) } }), objects: createNone },
  { name: 'pattern-length', spec: () => createObjectSchema({ a: { ...text, pattern: 'ab'.repeat(1_000_000) } }), objects: createNone },
  { name: 'pattern-names', spec: () => createObjectSchema({ a: { ...text, pattern: `[${'[:'.repeat(500_000)}x]` } }), objects: createNone },
  {
    name: 'pattern-large',
    spec: () => ({ type: 'array', items: { ...text, pattern: `^(${repeat(1500, (n) => `item${n * 7}`).join('|')})$` } }),
    objects: () => [repeat(20_000, (n) => `item${(n % 1500) * 7}`)],
  },
  {
    name: 'pattern-repeat',
    spec: () => createObjectSchema({ a: { ...text, pattern: '((a{1,100}){1,100}){1,100}' } }),
    objects: createNone,
  },
  {
    name: 'pattern-backtrack',
    spec: () => createObjectSchema({ a: { ...text, pattern: '^(a+)+$' }, b: { ...text, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } }),
    objects: () => [{ a: `${'a'.repeat(200_000)}!`, b: 'a'.repeat(200_000) }],
  },
  {
    name: 'many-patterns',
    spec: () => createObjectSchema(Object.fromEntries(repeat(5000, (n) => [`f${n}`, { ...text, pattern: `^[a-z]{1,${(n % 200) + 1}}$` }]))),
    objects: () =>
      [Object.fromEntries(repeat(5000, (n) => [`f${n}`, 'a']))].concat([
        Object.fromEntries(repeat(5000, (n) => [`f${n}`, 'a'.repeat(100)])),
      ]),
  },
  {
    name: 'large-enum',
    spec: () => ({ type: 'array', items: { ...text, enum: repeat(50_000, (n) => `value-${n}`) } }),
    objects: () => [repeat(20_000, () => 'value-49999'), repeat(20_000, () => 'missing')],
  },
  {
    name: 'defaults',
    spec: () =>
      createObjectSchema({
        items: {
          type: 'array',
          items: createObjectSchema(Object.fromEntries(repeat(200, (n) => [`f${n}`, { ...text, default: 'x'.repeat(20) }]))),
        },
      }),
    objects: () => [{ items: repeat(2000, () => ({})) }],
  },
  {
    name: 'large-defaults',
    spec: () =>
      createObjectSchema(
        Object.fromEntries(
          repeat(200, (n) => [
            `f${n}`,
            { type: 'array', items: { type: 'integer', maximum: 100_000 }, default: repeat(1000, (m) => n * m) },
          ]),
        ),
      ),
    objects: () => [{}, { f1: [1] }],
  },
  {
    name: 'many-enums',
    spec: () =>
      createObjectSchema(Object.fromEntries(repeat(2000, (n) => [`f${n}`, { ...text, enum: repeat(80, (m) => `value-${n}-${m}`) }]))),
    objects: () => [Object.fromEntries(repeat(2000, (n) => [`f${n}`, `value-${n}-79`]))],
  },
  {
    name: 'long-descriptions',
    spec: () => createObjectSchema(Object.fromEntries(repeat(5000, (n) => [`f${n}`, { ...text, description: 'x'.repeat(500) }]))),
    objects: () => [{ f1: 'x' }],
  },
  {
    name: 'nested-objects',
    spec: () => {
      const branch = (depth: number): JsonObject =>
        createObjectSchema(Object.fromEntries(repeat(6, (n) => [`f${n}`, depth === 0 ? text : branch(depth - 1)])))
      return branch(5)
    },
    objects: () => [{ f1: { f1: { f1: { f1: { f1: { f1: 'x' } } } } } }],
  },
  {
    name: 'large-set',
    spec: () => ({ type: 'array', items: text, 'x-kubernetes-list-type': 'set' }),
    objects: () => [repeat(100_000, (n) => `value-${n}`)],
  },
  {
    name: 'large-map-list',
    spec: () => ({
      type: 'array',
      items: createObjectSchema({ a: text, b: text }, { required: ['a', 'b'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
    }),
    objects: () => [repeat(40_000, (n) => ({ a: `a${n}`, b: 'b' }))],
  },
  {
    name: 'unique-items',
    spec: () => ({ type: 'array', items: open }),
    objects: () => [repeat(50_000, (n) => ({ n }))],
  },
  {
    name: 'unknown',
    spec: () => open,
    objects: () => [nestValue(5000), Object.fromEntries(repeat(100_000, (n) => [`k${n}`, n]))],
  },
  {
    name: 'embedded',
    spec: () =>
      createObjectSchema({
        list: {
          type: 'array',
          items: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      }),
    objects: () => [{ list: repeat(10_000, (n) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${n}`, labels: { a: '!' } } })) }],
  },
]

const createRuleSchema = (rule: string, more: JsonObject = {}): JsonObject => ({ 'x-kubernetes-validations': [{ rule, ...more }] })

export const ruleBombs: readonly Bomb[] = [
  {
    name: 'rule-squared',
    spec: () =>
      createObjectSchema({
        list: { type: 'array', maxItems: 300, items: { type: 'integer' }, ...createRuleSchema('self.all(a, self.exists_one(b, a == b))') },
      }),
    objects: () => [{ list: repeat(300, (n) => n) }],
  },
  {
    name: 'rule-cubed',
    spec: () =>
      createObjectSchema({
        list: {
          type: 'array',
          maxItems: 1000,
          items: { type: 'integer' },
          ...createRuleSchema('self.all(a, self.all(b, self.all(c, a + b + c > 0)))'),
        },
      }),
    objects: createNone,
  },
  {
    name: 'rule-unlimited',
    spec: () => createObjectSchema({ list: { type: 'array', items: text, ...createRuleSchema('self.all(a, self.all(b, a + b != "x"))') } }),
    objects: createNone,
  },
  {
    name: 'rule-items',
    spec: () =>
      createObjectSchema({
        list: { type: 'array', maxItems: 2000, items: { ...text, maxLength: 100, ...createRuleSchema('self.matches("^(a+)+$")') } },
      }),
    objects: () => [{ list: repeat(2000, () => `${'a'.repeat(99)}!`) }],
  },
  {
    name: 'rule-message',
    spec: () =>
      createObjectSchema({
        list: {
          type: 'array',
          maxItems: 500,
          items: { ...text, maxLength: 50, ...createRuleSchema('false', { messageExpression: '"no: " + self' }) },
        },
      }),
    objects: () => [{ list: repeat(500, (n) => `${n}${'x'.repeat(40)}`) }],
  },
  {
    name: 'many-rules',
    spec: () =>
      createObjectSchema({
        a: { ...text, maxLength: 10, 'x-kubernetes-validations': repeat(2000, (n) => ({ rule: `size(self) != ${n + 100}` })) },
      }),
    objects: () => [{ a: 'x' }],
  },
  {
    name: 'long-rule',
    spec: () => createObjectSchema({ a: { type: 'integer', ...createRuleSchema(repeat(3000, (n) => `self != ${n + 10}`).join(' && ')) } }),
    objects: () => [{ a: 1 }],
  },
  {
    name: 'longest-rule',
    spec: () =>
      createObjectSchema({
        a: {
          type: 'integer',
          ...createRuleSchema(
            repeat(8000, (n) => `self != ${n + 10}`)
              .join('||')
              .slice(0, 99_990)
              .replace(/\|*[^|]*$/, ''),
          ),
        },
      }),
    objects: () => [{ a: 1 }],
  },
  {
    name: 'rules-of-wide',
    spec: () =>
      createObjectSchema(Object.fromEntries(repeat(3000, (n) => [`f${n}`, { ...text, maxLength: 5 }])), {
        'x-kubernetes-validations': repeat(200, (n) => ({ rule: `!has(self.f${n}) || self.f${n} != "x"` })),
      }),
    objects: () => [{ f1: 'y' }, { f1: 'x' }],
  },
  {
    name: 'rules-in-depth',
    spec: () =>
      nest(60, text, (inner) =>
        createObjectSchema(
          { a: inner, b: { ...text, maxLength: 5 } },
          { 'x-kubernetes-validations': [{ rule: '!has(self.b) || self.b != "x"' }] },
        ),
      ),
    objects: () => [{ b: 'x' }],
  },
  {
    name: 'rule-patterns',
    spec: () =>
      createObjectSchema({
        a: { ...text, maxLength: 10, 'x-kubernetes-validations': repeat(500, (n) => ({ rule: `self.matches("^[a-z]{1,${n + 300}}$")` })) },
      }),
    objects: () => [{ a: 'x' }],
  },
  {
    name: 'nested-rule',
    spec: () => createObjectSchema({ a: { type: 'boolean', ...createRuleSchema(`${'('.repeat(400)}self${')'.repeat(400)}`) } }),
    objects: () => [{ a: true }],
  },
  {
    name: 'rule-strings',
    spec: () =>
      createObjectSchema({
        a: { ...text, maxLength: 100_000, ...createRuleSchema('self.split("").size() >= 0 && self.replace("a", "bb").size() >= 0') },
      }),
    objects: () => [{ a: 'a'.repeat(100_000) }],
  },
]
