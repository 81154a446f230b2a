import type { Task } from '@keelson/apimachinery'
import type { Schema } from './hub-spec.ts'
import { isSetOfNonAtomicItems, validateKeyPresence } from './list-rules.ts'
import { newFieldPath } from '@keelson/apimachinery'
import { pushSubschemas } from './subschemas.ts'

/** Properties of the schemas of a definition that decide which validation rules apply. */
export interface SpecFacts {
  hasDefaults: boolean
  /** Whether a schema uses an `x-kubernetes-…` member other than the map type. Only structural schemas may use them. */
  hasExtensions: boolean
  hasUnknownTypes: boolean
  hasNonAtomicSets: boolean
  /** Whether keys of maps may be absent or null, or items of maps and sets may be null. */
  hasAbsentKeys: boolean
  /** Rules and message expressions, which stay valid when the definition is updated. */
  readonly rules: Set<string>
  readonly messageExpressions: Set<string>
}

const types: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string'])
const nowhere = newFieldPath()

/** Reads the facts of the schemas of a definition. */
export function* readSpecFacts(schemas: readonly Schema[]): Task<SpecFacts> {
  const facts: SpecFacts = {
    hasDefaults: false,
    hasExtensions: false,
    hasUnknownTypes: false,
    hasNonAtomicSets: false,
    hasAbsentKeys: false,
    rules: new Set(),
    messageExpressions: new Set(),
  }
  const open = [...schemas]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    const { type = '' } = schema
    facts.hasDefaults ||= schema.default !== undefined
    facts.hasExtensions ||= usesExtensions(schema)
    facts.hasUnknownTypes ||= type !== '' && !types.has(type)
    facts.hasNonAtomicSets ||= isSetOfNonAtomicItems(schema)
    facts.hasAbsentKeys ||= validateKeyPresence(schema, nowhere).length > 0
    for (const { rule, messageExpression } of schema['x-kubernetes-validations'] ?? []) {
      facts.rules.add(rule)
      if (messageExpression) facts.messageExpressions.add(messageExpression)
    }
    yield* pushSubschemas(schema, open)
    yield
  }
  return facts
}

function usesExtensions(schema: Schema): boolean {
  return (
    schema['x-kubernetes-embedded-resource'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-list-map-keys'] !== undefined ||
    schema['x-kubernetes-list-type'] !== undefined ||
    schema['x-kubernetes-validations'] !== undefined
  )
}
