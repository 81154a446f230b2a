import { authenticatedGroup, isJsonObject, getErrorMessage, parseJson } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'

/** One policy of an ABAC policy file. In a field, `*` matches everything, and "" matches only an empty value. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  readonly apiGroup: string
  readonly resource: string
  readonly namespace: string
  readonly nonResourcePath: string
}

export interface AbacPolicyFile {
  readonly policies: readonly AbacPolicy[]
  /** Number of lines without `apiVersion`. That format is deprecated. */
  readonly unversionedLines: number
}

/**
 * Parses an ABAC policy file, which has one JSON object per line. Empty lines and lines that start with "#" are skipped. Throws an error
 * that names the invalid line.
 */
export function parseAbacPolicies(text: string, fileName: string): AbacPolicyFile {
  const policies: AbacPolicy[] = []
  let unversionedLines = 0
  text.split(/\r?\n/).forEach((line, i) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return
    try {
      const value = parseJson(line).value
      if (!isJsonObject(value)) throw new Error('json: cannot unmarshal into Go value of type struct { APIVersion string; Kind string }')
      const isVersioned = value['kind'] === 'Policy' && value['apiVersion'] === versioned
      if (!isVersioned) unversionedLines++
      policies.push(isVersioned ? parseVersionedPolicy(value['spec']) : parseUnversionedPolicy(value))
    } catch (error) {
      throw new Error(`error reading policy file ${fileName}, line ${i + 1}: ${line}: ${getErrorMessage(error)}`, { cause: error })
    }
  })
  return { policies, unversionedLines }
}

const versioned = 'abac.authorization.kubernetes.io/v1beta1'

function parseVersionedPolicy(spec: JsonValue | undefined): AbacPolicy {
  return widenToEveryone(parsePolicy(isJsonObject(spec) ? spec : {}))
}

/** Reads a policy without `apiVersion`. That format has no API groups, and a missing field matches everything. */
function parseUnversionedPolicy(value: JsonObject): AbacPolicy {
  const policy = parsePolicy(value)
  const isUnlimited = policy.namespace === '' && policy.resource === ''
  return widenToEveryone({
    ...policy,
    group: policy.user === '' && policy.group === '' ? authenticatedGroup : policy.group,
    namespace: policy.namespace || '*',
    resource: policy.resource || '*',
    apiGroup: '*',
    nonResourcePath: isUnlimited ? '*' : '',
  })
}

function widenToEveryone(policy: AbacPolicy): AbacPolicy {
  return policy.user === '*' || policy.group === '*' ? { ...policy, user: '', group: authenticatedGroup } : policy
}

function parsePolicy(value: JsonObject): AbacPolicy {
  const readText = (name: string): string => {
    const member = value[name] ?? ''
    if (typeof member !== 'string')
      throw new Error(`json: cannot unmarshal ${typeof member} into Go struct field PolicySpec.${name} of type string`)
    return member
  }
  const readonly = value['readonly'] ?? false
  if (typeof readonly !== 'boolean') {
    throw new Error(`json: cannot unmarshal ${typeof readonly} into Go struct field PolicySpec.readonly of type bool`)
  }
  return {
    user: readText('user'),
    group: readText('group'),
    readonly,
    apiGroup: readText('apiGroup'),
    resource: readText('resource'),
    namespace: readText('namespace'),
    nonResourcePath: readText('nonResourcePath'),
  }
}
