import {
  aggregateFieldErrors,
  decodeStruct,
  isJsonObject,
  getErrorMessage,
  parseJson,
  formatStrictDecodingMessage,
  stringifyJson,
} from '@keelson/apimachinery'
import type { FieldSchema, JsonObject, JsonValue, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { parseYaml } from '@keelson/apimachinery/yaml'
import type { AuditPolicy } from './policy.ts'
import { validatePolicy } from './validate-policy.ts'

export interface ParsedPolicy {
  readonly policy: AuditPolicy
  /** Unknown or duplicate fields, which are ignored. Undefined if there are none. */
  readonly warning?: string | undefined
}

/** Parses and validates an audit policy in YAML or JSON. Throws an error with kube-apiserver's message. */
export function parseAuditPolicy(text: string): ParsedPolicy {
  const { value, duplicates } = parseDocument(text)
  const head = isJsonObject(value) ? value : {}
  const [kind, apiVersion] = [toText(head['kind']), toText(head['apiVersion'])]
  if (kind === '') throw new Error(`failed decoding: Object 'Kind' is missing in '${text}'`)
  if (apiVersion === '') throw new Error(`failed decoding: Object 'apiVersion' is missing in '${text}'`)
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy') {
    const scheme = 'k8s.io/apiserver/pkg/audit/scheme.go:30'
    throw new Error(
      `failed decoding: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ${JSON.stringify(scheme)}`,
    )
  }
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...members } = head
  const { object, strictErrors } = decodeMembers(members)
  const problems = [...duplicates, ...strictErrors]
  const policy = { ...object, rules: object.rules ?? [] }
  const errors = validatePolicy(policy)
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules')
  return { policy, ...(problems.length > 0 && { warning: formatStrictDecodingMessage(problems) }) }
}

function decodeMembers(members: JsonObject): { object: Partial<AuditPolicy>; strictErrors: readonly string[] } {
  try {
    return decodeStruct<Partial<AuditPolicy>>(policySchema, parseJson(stringifyJson(members)), { strict: 'Strict' })
  } catch (error) {
    throw new Error(`failed decoding: ${getErrorMessage(error)}`, { cause: error })
  }
}

function parseDocument(text: string): { readonly value: JsonValue; readonly duplicates: readonly string[] } {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new Error(`failed decoding: couldn't get version/kind; json parse error: ${getErrorMessage(error)}`, { cause: error })
  }
}

function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function defineStruct(name: string, types: Readonly<Record<string, TypeSchema>>): StructSchema {
  const fields = Object.entries(types).map(([field, type]): FieldSchema => ({ name: field, type, omit: 'empty', pointer: true }))
  return {
    kind: 'struct',
    name,
    definition: `io.k8s.apiserver.pkg.apis.audit.v1.${name}`,
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
  }
}

const text: TypeSchema = { kind: 'string' }
const flag: TypeSchema = { kind: 'bool' }
const texts: TypeSchema = { kind: 'list', items: text }
const policySchema: StructSchema = defineStruct('Policy', {
  rules: {
    kind: 'list',
    items: defineStruct('PolicyRule', {
      level: text,
      users: texts,
      userGroups: texts,
      verbs: texts,
      resources: { kind: 'list', items: defineStruct('GroupResources', { group: text, resources: texts, resourceNames: texts }) },
      namespaces: texts,
      nonResourceURLs: texts,
      omitStages: texts,
      omitManagedFields: flag,
    }),
  },
  omitStages: texts,
  omitManagedFields: flag,
})
