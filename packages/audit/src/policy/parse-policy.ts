import { aggregateFieldErrors, getErrorMessage } from '@keelson/apimachinery'
import type { TypeSchema } from '@keelson/apimachinery'
import { decodeLenientConfiguration, defineConfigurationStruct, defineListOfStructs } from '@keelson/apimachinery/configuration'
import type { DecodedConfiguration } from '@keelson/apimachinery/configuration'
import type { AuditPolicy } from './policy.ts'
import { validatePolicy } from './validate-policy.ts'

export interface ParsedPolicy {
  readonly policy: AuditPolicy
  /** Unknown or duplicate fields, which are ignored. Undefined if there are none. */
  readonly warning?: string | undefined
}

/** Parses and validates an audit policy in YAML or JSON. Throws an error with kube-apiserver's message. */
export function parseAuditPolicy(text: string): ParsedPolicy {
  const { object, strictError } = decode(text)
  const members: Partial<AuditPolicy> = object
  const policy = { ...members, rules: members.rules ?? [] }
  const errors = validatePolicy(policy)
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules')
  return { policy, warning: strictError }
}

function decode(text: string): DecodedConfiguration {
  try {
    return decodeLenientConfiguration(text, {
      schema: policySchema,
      apiVersions: ['audit.k8s.io/v1'],
      scheme: 'k8s.io/apiserver/pkg/audit/scheme.go:30',
    })
  } catch (error) {
    throw new Error(`failed decoding: ${getErrorMessage(error)}`, { cause: error })
  }
}

const texts: TypeSchema = { kind: 'list', items: { kind: 'string' } }
const policySchema = defineConfigurationStruct('Policy', {
  metadata: 'json',
  rules: defineListOfStructs(
    defineConfigurationStruct('PolicyRule', {
      level: 'string',
      users: texts,
      userGroups: texts,
      verbs: texts,
      resources: defineListOfStructs(
        defineConfigurationStruct('GroupResources', { group: 'string', resources: texts, resourceNames: texts }),
      ),
      namespaces: texts,
      nonResourceURLs: texts,
      omitStages: texts,
      omitManagedFields: 'bool',
    }),
  ),
  omitStages: texts,
  omitManagedFields: 'bool',
})
