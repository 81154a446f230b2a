import { fieldError } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { parsePattern, equalsPattern } from './group-resource-pattern.ts'

const withoutStorage: ReadonlySet<string> = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'])

/** Validates the resource patterns of one list. Two patterns must not match the same resource, because the second one would never be used. */
export function validateResources(resources: readonly string[], path: FieldPath): FieldErrorList {
  return [...overlaps(resources, path), ...resources.flatMap((resource, at) => validateResource(resource, path.index(at)))]
}

function overlaps(resources: readonly string[], path: FieldPath): FieldErrorList {
  const patterns = resources.map(parsePattern)
  const pairs = patterns.flatMap((a, i) => patterns.slice(i + 1).map((b) => [a, b] as const))
  const errors: FieldErrorList = []
  if (pairs.some(([a, b]) => equalsPattern(a, b))) {
    errors.push(fieldError.invalid(path, resources, 'the same resource cannot be specified multiple times'))
  }
  const overlapping = pairs.some(
    ([a, b]) =>
      !equalsPattern(a, b) && (isEverything(a) || isEverything(b) || (a.group === b.group && (a.resource === '*' || b.resource === '*'))),
  )
  if (overlapping) {
    const detail = "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked"
    errors.push(fieldError.invalid(path, resources, detail))
  }
  return errors
}

function isEverything({ group, resource }: { readonly group: string; readonly resource: string }): boolean {
  return group === '*' && resource === '*'
}

function validateResource(resource: string, path: FieldPath): FieldErrorList {
  const problem = checkResourceName(resource)
  return problem === undefined ? [] : [fieldError.invalid(path, resource, problem)]
}

function checkResourceName(text: string): string | undefined {
  if (text.toLowerCase() !== text) return 'resource name should not contain capital letters'
  if (text === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"
  if (withoutStorage.has(text)) return 'resources which do not have REST API/s cannot be encrypted'
  const { group, resource } = parsePattern(text)
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file"
  }
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption"
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported'
  return undefined
}
