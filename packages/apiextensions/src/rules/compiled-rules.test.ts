import { formatFieldError, newFieldPath } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { compileRules } from './compiled-rules.ts'
import type { RuleOptions } from './compiled-rules.ts'
import type { ExpressionMetrics } from '@keelson/cel'
import type { Rule, Schema } from './schema-type.ts'

const string: Schema = { type: 'string' }
const integer: Schema = { type: 'integer' }

/** Returns the schema of an object whose `spec` has a schema. */
function withSpec(spec: Schema): Schema {
  return { type: 'object', properties: { spec } }
}

function addRules(schema: Schema, ...rules: readonly Rule[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules }
}

function createObjectSchema(properties: Readonly<Record<string, Schema>>, ...rules: readonly Rule[]): Schema {
  return addRules({ type: 'object', properties }, ...rules)
}

/** Validates an object with the given spec. */
function validate(schema: Schema, spec: unknown, oldSpec?: unknown, options?: RuleOptions): readonly string[] {
  const { errors } = compileRules(withSpec(schema))!.validate({ spec }, oldSpec === undefined ? undefined : { spec: oldSpec }, options)
  return errors.map(formatFieldError)
}

describe('evaluation of rules', () => {
  it('a schema without rules needs no evaluation', () => {
    expect(compileRules(withSpec(createObjectSchema({ a: string })))).toBeUndefined()
  })

  it('violations have the reason and field path of the rule', () => {
    const rules: readonly Rule[] = [
      { rule: 'self.a > 0' },
      { rule: 'self.a > 0', message: ' a must be positive ', reason: 'FieldValueForbidden' },
      { rule: 'self.a > 0', messageExpression: "'a is ' + string(self.a)", fieldPath: '.a' },
      { rule: 'self.a > 0', reason: 'FieldValueRequired', fieldPath: "['x.y']" },
    ]
    expect(validate(createObjectSchema({ a: integer, 'x.y': string }, ...rules), { a: 0 })).toEqual([
      'spec: Invalid value: failed rule: self.a > 0',
      'spec: Forbidden: a must be positive',
      'spec.a: Invalid value: a is 0',
      'spec.x.y: Required value: failed rule: self.a > 0',
    ])
  })

  it('rules apply to members of lists and maps', () => {
    const positive = addRules(integer, { rule: 'self > 0' })
    const schema = createObjectSchema({ list: { type: 'array', items: positive }, map: { type: 'object', additionalProperties: positive } })
    expect(validate(schema, { list: [1, 0, null], map: { a: 1, b: -1 } })).toEqual([
      'spec.list[1]: Invalid value: 0: failed rule: self > 0',
      'spec.map[b]: Invalid value: -1: failed rule: self > 0',
    ])
  })

  it('evaluation errors name the type of the value', () => {
    expect(validate(createObjectSchema({ a: integer }, { rule: '1 / self.a > 0' }), { a: 0 })).toEqual([
      'spec: Invalid value: "object": division by zero evaluating rule: 1 / self.a > 0',
    ])
    const anything = addRules({ 'x-kubernetes-int-or-string': true }, { rule: 'self > 0' })
    expect(validate(createObjectSchema({ a: anything }), { a: 'x' })).toEqual([
      `spec.a: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 0`,
    ])
  })

  it.each([
    ["''", 'failed rule: false'],
    ["'a\\nb'", 'failed rule: false'],
    ["['x'][1]", 'failed rule: false'],
    ["' two words '", 'two words'],
  ])('an unusable message is replaced, and spaces around a message are removed: %s', (messageExpression, message) => {
    expect(validate(createObjectSchema({}, { rule: 'false', messageExpression }), {})).toEqual([`spec: Invalid value: ${message}`])
  })

  it('oldSelf is the old value', () => {
    const schema = createObjectSchema({ a: integer }, { rule: 'self.a >= oldSelf.a' })
    expect(validate(schema, { a: 1 })).toEqual([])
    expect(validate(schema, { a: 1 }, { a: 1 })).toEqual([])
    expect(validate(schema, { a: 1 }, { a: 2 })).toEqual(['spec: Invalid value: failed rule: self.a >= oldSelf.a'])
  })

  it('oldSelf in a map list is the old element with the same keys', () => {
    const element = createObjectSchema({ k: string, n: integer }, { rule: 'self.n >= oldSelf.n' })
    const list: Schema = { type: 'array', items: element, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
    const old = [
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
    ]
    expect(
      validate(
        list,
        [
          { k: 'b', n: 1 },
          { k: 'c', n: 0 },
          { k: 'a', n: 1 },
        ],
        old,
      ),
    ).toEqual(['spec[0]: Invalid value: failed rule: self.n >= oldSelf.n'])
    const atomic: Schema = { type: 'array', items: element }
    expect(validate(atomic, [{ k: 'b', n: 1 }], old)).toEqual([])
  })

  it('an optional oldSelf has the plain JSON of the old value', () => {
    const created = createObjectSchema({ 'a-b': string }, { rule: "oldSelf.hasValue() || self.a__dash__b == 'new'", optionalOldSelf: true })
    expect(validate(created, { 'a-b': 'x' })).toHaveLength(1)
    expect(validate(created, { 'a-b': 'new' })).toEqual([])
    expect(validate(created, { 'a-b': 'x' }, {})).toEqual([])
    const compared = createObjectSchema({ 'a-b': string }, { rule: "oldSelf.?a__dash__b.orValue('none') == 'none'", optionalOldSelf: true })
    expect(validate(compared, {}, { 'a-b': 'x' })).toEqual([])
  })

  it('violations by unchanged values are only warnings', () => {
    const positive = createObjectSchema({ n: addRules(integer, { rule: 'self > 0' }), m: integer })
    const list = createObjectSchema({ l: { type: 'array', items: addRules(integer, { rule: 'self > 0' }) } })
    const warnings: string[] = []
    const options: RuleOptions = { warn: (text) => warnings.push(text) }
    expect(validate(positive, { n: 0, m: 1 }, { n: 0, m: 2 }, options)).toEqual([])
    expect(validate(list, { l: [0] }, { l: [0] }, options)).toEqual([])
    expect(warnings).toEqual(['spec.n: Invalid value: 0: failed rule: self > 0', 'spec.l[0]: Invalid value: 0: failed rule: self > 0'])
    expect(validate(positive, { n: 0 }, { n: 1 }, options)).toHaveLength(1)
    expect(validate(list, { l: [0, 1] }, { l: [0] }, options)).toHaveLength(1)
    expect(validate(list, { l: [0] }, { l: [0] })).toHaveLength(1)
  })

  it('self has the type that the format of the value names', () => {
    const schema = createObjectSchema(
      {
        time: { type: 'string', format: 'date-time' },
        day: { type: 'string', format: 'date' },
        length: { type: 'string', format: 'duration' },
        data: { type: 'string', format: 'byte' },
        rate: { type: 'number' },
      },
      { rule: "self.time == timestamp('2020-01-02T03:04:05Z') && self.day < self.time" },
      { rule: "self.length == duration('26h') && self.data == b'hi' && self.rate == 2.0" },
    )
    const spec = { time: '2020-01-02T04:04:05+01:00', day: '2020-01-02', length: '1 day 2 hours', data: 'aGk=', rate: 2 }
    expect(validate(schema, spec)).toEqual([])
  })

  it('rules can read the metadata of resources', () => {
    const schema = addRules(withSpec(createObjectSchema({})), { rule: "self.metadata.name.startsWith('a') && self.kind == 'Widget'" })
    const rules = compileRules(schema)!
    expect(rules.validate({ kind: 'Widget', metadata: { name: 'abc' } }).errors).toEqual([])
    expect(rules.validate({ kind: 'Widget', metadata: { name: 'x' } }, undefined, { path: newFieldPath('default') }).errors).toHaveLength(1)
  })

  it.each([
    ['dyn(self).any == dyn(self.list)', 7],
    ['dyn(self.list) == dyn(self).any', 7],
    ['dyn(self).any != dyn(self.list)', 7],
  ])('an equality of a value without a type costs as much as in kube-apiserver: %s', (rule, cost) => {
    const any: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
    const schema = createObjectSchema({ any, list: { type: 'array', items: integer, maxItems: 5 } }, { rule })
    const { remaining } = compileRules(withSpec(schema))!.validate({ spec: { any: 'a', list: [] } }, undefined, { budget: 100 })
    expect(100 - remaining).toBe(cost)
  })

  it('the evaluation ends when the cost budget is used up', () => {
    const schema = createObjectSchema({ a: integer }, { rule: 'self.a == 1' }, { rule: 'self.a == 2' })
    const { errors, remaining } = compileRules(withSpec(schema))!.validate({ spec: { a: 1 } }, undefined, { budget: 3 })
    expect(errors.map(formatFieldError)).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
    expect(remaining).toBe(-1)
  })

  it('the evaluation ends when one expression costs too much', () => {
    const list: Schema = { type: 'array', items: integer }
    const schema = createObjectSchema({ l: list }, { rule: 'self.l.all(x, self.l.all(y, x + y >= 0))', message: 'slow' }, { rule: 'false' })
    const run = compileRules(withSpec(schema))!.start({ spec: { l: Array.from({ length: 1000 }, () => 1) } })
    let slices = 1
    while (!run.advance()) slices++
    expect(run.errors.map(formatFieldError)).toEqual([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: slow`,
    ])
    expect(slices).toBeGreaterThan(1)
  })

  it('the evaluation pauses within a rule and within its message expression', () => {
    const list: Schema = { type: 'array', items: integer }
    const slow = 'self.l.all(x, self.l.all(y, x + y >= 0))'
    const rules: readonly Rule[] = [
      { rule: `!${slow}`, messageExpression: `${slow} ? 'slow message' : ''` },
      { rule: 'false', message: 'second' },
    ]
    const run = compileRules(withSpec(createObjectSchema({ l: list }, ...rules)))!.start({
      spec: { l: Array.from({ length: 300 }, () => 1) },
    })
    let slices = 1
    while (!run.advance()) slices++
    expect(run.errors.map(formatFieldError)).toEqual(['spec: Invalid value: slow message', 'spec: Invalid value: second'])
    expect(slices).toBeGreaterThan(1)
  })

  it('at most 1,000 errors are reported', () => {
    const list: Schema = { type: 'array', items: addRules(integer, { rule: 'self > 0' }) }
    const errors = validate(
      list,
      Array.from({ length: 5000 }, () => 0),
    )
    expect(errors).toHaveLength(1001)
    expect(errors.at(-1)).toBe('<nil>: Too many: validation ended after 1000 errors')
  })

  it('metrics have the time of each object and of each compiled rule', () => {
    const times = { compiled: [] as number[], evaluated: [] as number[] }
    const metrics: ExpressionMetrics = {
      recordCompilation: (seconds) => times.compiled.push(seconds),
      recordEvaluation: (seconds) => times.evaluated.push(seconds),
    }
    const rules = compileRules(
      withSpec(createObjectSchema({ measured: integer }, { rule: 'self.measured > 0' }, { rule: 'self.measured > 1' })),
    )!
    for (const measured of [1, 2, 3]) rules.validate({ spec: { measured } }, undefined, { metrics })
    expect([times.compiled.length, times.evaluated.length]).toEqual([2, 3])
    for (const seconds of [...times.compiled, ...times.evaluated]) expect(seconds).toBeGreaterThanOrEqual(0)
  })
})
