import { formatFieldError, newFieldPath, finishTask } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { buildRuleEnvironments } from '@keelson/cel'
import { compileRule } from '../rules/compile-rule.ts'
import { compileRules } from '../rules/compiled-rules.ts'
import { isDeclared, isEmbeddedResource, getItemSchema, SchemaTypes, getValueSchema } from '../rules/schema-type.ts'
import type { Rule, Schema } from '../rules/schema-type.ts'
import { SizeLimits } from '../rules/size-limits.ts'
import { validateRuleFields, validateRules } from '../rules/validate-rules.ts'

/** A schema with rules, an object, and the object that it replaces. */
export interface RuleQuestion {
  readonly schema: Schema
  readonly object?: unknown
  readonly old?: unknown
}

/** The results of a schema's rules. Errors are sorted, because kube-apiserver's order of members is random. */
export interface RuleAnswer {
  /** Errors of the definition. */
  readonly definition: readonly string[]
  /** Estimated costs: those of the rule and its message expression, and the number of values that it may validate. */
  readonly costs: readonly string[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** The rest of the cost budget. */
  readonly remaining: number
  /** Message of a panic of kube-apiserver. */
  readonly panic?: string
}

/** A rule with its recorded answer for the schema and the objects of the recording. */
export interface RecordedRule {
  readonly rule: Rule
  readonly answer: RuleAnswer
}

/** Returns the question about one rule. The values are the schema and the objects of the field `spec`. */
export function askRecordedRule({ schema, object, old }: RuleQuestion, rule: Rule): RuleQuestion {
  const spec: Schema = { ...schema, 'x-kubernetes-validations': [rule] }
  return { schema: { type: 'object', properties: { spec } }, object: { spec: object }, old: { spec: old } }
}

/** Answers like the program that uses kube-apiserver's library (`tooling/e2e/src/cel-rules`). */
export function answerRules({ schema, object, old }: RuleQuestion): RuleAnswer {
  const warnings: string[] = []
  const result = compileRules(schema)?.validate(object, old ?? undefined, { warn: (text) => warnings.push(text) })
  return {
    definition: sortMessages(validateDefinitionRules(newFieldPath('spec', 'validation', 'openAPIV3Schema'), schema)),
    costs: estimateRuleCosts(schema),
    errors: sortMessages(result?.errors ?? []),
    warnings: warnings.sort(compareBytes),
    remaining: result?.remaining ?? 0,
  }
}

/** Validates the rules of a schema as the validation of definitions does. */
export function validateDefinitionRules(path: FieldPath, schema: Schema): FieldErrorList {
  const errors: FieldErrorList = []
  const invalid = new Set<Schema>()
  const visit = (at: FieldPath, within: Schema): boolean => {
    const below = listChildren(within).map(([name, child, key]) =>
      visit(key === undefined ? at.child(name) : at.child(name).key(key), child),
    )
    const fieldErrors = validateRuleFields(at, within)
    errors.push(...fieldErrors)
    if (fieldErrors.length > 0 || below.includes(true)) invalid.add(within)
    return invalid.has(within)
  }
  visit(path, schema)
  return [...errors, ...finishTask(validateRules(path, schema, { isInvalid: (within) => invalid.has(within) }))]
}

function listChildren(schema: Schema): readonly (readonly [member: string, child: Schema, key?: string])[] {
  const [items, values] = [getItemSchema(schema), getValueSchema(schema)]
  return [
    ...(items === undefined ? [] : [['items', items] as const]),
    ...(values === undefined ? [] : [['additionalProperties', values] as const]),
    ...Object.entries(schema.properties ?? {})
      .sort(([a], [b]) => compareBytes(a, b))
      .map(([name, property]) => ['properties', property, name] as const),
  ]
}

function estimateRuleCosts(root: Schema): readonly string[] {
  const [types, limits] = [new SchemaTypes(), new SizeLimits(root)]
  const costs: string[] = []
  const visit = (schema: Schema): void => {
    if (!isDeclared(schema)) return
    const rules = schema['x-kubernetes-validations'] ?? []
    if (rules.length > 0) {
      const environments = buildRuleEnvironments(types.of(schema, schema === root || isEmbeddedResource(schema)))
      for (const rule of rules) {
        const { cost, messageCost = 0n } = compileRule(rule, environments, limits.hints(schema))
        costs.push(cost === undefined ? '0 0 0' : `${cost} ${messageCost} ${limits.maxCardinality(schema)}`)
      }
    }
    for (const [, child] of listChildren(schema)) visit(child)
  }
  visit(root)
  return costs
}

function sortMessages(errors: FieldErrorList): readonly string[] {
  return errors.map((error) => formatFieldError(error).replaceAll(/selfType\d+/g, 'selfType')).sort(compareBytes)
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
