import { aggregateFieldErrors, fieldError, newFieldPath } from '@keelson/apimachinery'
import type { FieldErrorList } from '@keelson/apimachinery'
import type { ScopeSelector } from '@keelson/registry'
import { readStringList, readStringMember } from '../strict-members.ts'
import { readListMember, readObject, readTypedConfiguration } from '../typed-configuration.ts'

/** A resource whose consumption needs a quota that covers it. */
export interface LimitedResource {
  readonly apiGroup: string
  readonly resource: string
  /** Substrings of names of consumed amounts ("requests.cpu") that a quota must limit. */
  readonly matchContains: readonly string[]
  /** Scopes of objects that a quota with the same scope must cover. They apply to objects of all resources, as in kube-apiserver. */
  readonly matchScopes: readonly ScopeSelector[]
}

const kinds = {
  'apiserver.config.k8s.io/v1': 'ResourceQuotaConfiguration',
  'resourcequota.admission.k8s.io/v1beta1': 'Configuration',
  'resourcequota.admission.k8s.io/v1alpha1': 'Configuration',
}

type Members = Readonly<Record<string, unknown>>

/** Parses the configuration of the plugin ResourceQuota. Throws an error that lists all unknown members or all problems. */
export function readLimitedResources(value: unknown): readonly LimitedResource[] {
  const members = readTypedConfiguration(value, kinds)
  const unknown: string[] = []
  const readStrict = (item: unknown, path: string, knownNames: readonly string[]): Members => {
    const object = readObject(item, path)
    for (const name of Object.keys(object))
      if (!knownNames.includes(name)) unknown.push(`unknown field ${JSON.stringify(`${path}.${name}`)}`)
    return object
  }
  const limited = readListMember(members, 'limitedResources', '').map((item, i): LimitedResource => {
    const path = `limitedResources[${i}]`
    const object = readStrict(item, path, ['apiGroup', 'resource', 'matchContains', 'matchScopes'])
    return {
      apiGroup: readStringMember(object, 'apiGroup', path),
      resource: readStringMember(object, 'resource', path),
      matchContains: readStringList(object, 'matchContains', path),
      matchScopes: readListMember(object, 'matchScopes', `${path}.`).map((scope, j) => {
        const at = `${path}.matchScopes[${j}]`
        const selector = readStrict(scope, at, ['scopeName', 'operator', 'values'])
        const values = readStringList(selector, 'values', at)
        return { scopeName: readStringMember(selector, 'scopeName', at), operator: readStringMember(selector, 'operator', at), values }
      }),
    }
  })
  for (const name of Object.keys(members)) {
    if (!['kind', 'apiVersion', 'limitedResources'].includes(name)) unknown.push(`unknown field ${JSON.stringify(name)}`)
  }
  if (unknown.length > 0) throw new Error(`strict decoding error: ${unknown.join(', ')}`)
  const errors: FieldErrorList = []
  for (const [i, { resource }] of limited.entries()) {
    if (resource === '') errors.push(fieldError.required(newFieldPath('limitedResources').index(i).child('resource'), ''))
  }
  if (errors.length > 0) throw new Error(aggregateFieldErrors(errors))
  return limited
}
