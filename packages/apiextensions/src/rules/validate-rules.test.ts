import { formatFieldError, newFieldPath, finishTask } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import type { Rule, Schema } from './schema-type.ts'
import { validateRuleFields, validateRules } from './validate-rules.ts'

const path = newFieldPath('schema')

function addRules(schema: Schema, ...rules: readonly Rule[]): Schema {
  return { ...schema, 'x-kubernetes-validations': rules }
}

function check(schema: Schema, options?: Parameters<typeof validateRules>[2]): readonly string[] {
  return finishTask(validateRules(path, schema, options)).map(formatFieldError)
}

const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

describe('validation of rules', () => {
  it('a rule must compile to a boolean, and a message expression to a string', () => {
    const schema = addRules(
      { type: 'object', properties: { a: { type: 'string' } } },
      { rule: 'self.a', messageExpression: 'self.b' },
      { rule: 'true', messageExpression: '1' },
    )
    const [first, second, ...rest] = check(schema)
    expect(first).toMatch(
      /^schema\.x-kubernetes-validations\[0\]\.rule: Invalid value: \{"Rule":"self\.a",.*\}: cel expression must evaluate to a bool$/,
    )
    expect(second).toMatch(/\[1\]\.messageExpression: Invalid value: \{.*\}: messageExpression must evaluate to a string$/)
    expect(rest).toEqual([])
  })

  it('oldSelf is allowed only where the old value can be found', () => {
    const element = addRules({ type: 'integer' }, { rule: 'self == oldSelf' })
    expect(check({ type: 'object', properties: { l: { type: 'array', items: element, maxItems: 5 } } })).toEqual([
      'schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l]',
    ])
    expect(check(addRules({ type: 'object' }, { rule: 'true', optionalOldSelf: true }))).toEqual([
      'schema.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ])
  })

  it('rules above the cost limits are rejected', () => {
    const text = addRules({ type: 'string' }, { rule: "self.contains('abc')" })
    const list: Schema = { type: 'object', properties: { l: { type: 'array', items: text } } }
    const at = 'schema.properties[l].items.x-kubernetes-validations[0].rule'
    const contributed = 'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    expect(check(list)).toEqual([
      `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (${advice})`,
      `${at}: ${contributed}`,
      `schema: Forbidden: ${total} exceeds budget by factor of more than 100x (${advice})`,
    ])
    expect(check(list, { ignoreExpressionCost: true })).toHaveLength(2)
    expect(check({ type: 'object', properties: { l: { type: 'array', items: { ...text, maxLength: 10 }, maxItems: 100 } } })).toEqual([])
  })

  it('rules in a schema with other errors are not compiled', () => {
    const schema = addRules({ type: 'object' }, { rule: '' })
    expect(check(schema, { isInvalid: (invalid) => invalid === schema })).toEqual([])
  })

  it.each<[Rule, string]>([
    [{ rule: ' ' }, 'rule: Required value: rule is not specified'],
    [{ rule: 'true', message: ' ' }, 'message: Invalid value: " ": must be non-empty if specified'],
    [{ rule: 'true &&\ntrue' }, 'message: Required value: message must be specified if rule contains line breaks'],
    [
      { rule: 'true', reason: 'Other' },
      'reason: Unsupported value: "Other": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [{ rule: 'true', fieldPath: '.b' }, 'fieldPath: Invalid value: ".b": must be a valid path'],
    [{ rule: 'true', fieldPath: 'a' }, 'fieldPath: Invalid value: "a": must be a valid path'],
    [{ rule: 'true', fieldPath: '.a[0]' }, 'fieldPath: Invalid value: ".a[0]": must be a valid path'],
  ])('rules with invalid fields are rejected: %j', (rule, message) => {
    const schema = addRules({ type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } }, rule)
    expect(validateRuleFields(path, schema).map(formatFieldError)).toEqual([`schema.x-kubernetes-validations[0].${message}`])
  })

  it.each(['.a', '.a.key', ".a['a key']"])('fieldPath may refer to the field %s', (fieldPath_) => {
    const schema = addRules(
      { type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } },
      { rule: 'true', fieldPath: fieldPath_ },
    )
    expect(validateRuleFields(path, schema)).toEqual([])
  })
})
