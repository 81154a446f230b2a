import type { KubeObject, ManagedFieldsEntry } from '@keelson/apimachinery'
import { formatPath, listPaths, normalizeFieldSet } from '@keelson/apimachinery/managed-fields'
import { formatCondition, readConditions } from './wait-conditions.ts'
import type { StatusCondition } from './wait-conditions.ts'

interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** The assertions that `matchers` add to `expect`. */
export interface KeelsonMatchers {
  /**
   * Checks that an object has a condition in its status. Its status must be "True" unless `expected` has another one.
   *
   * @example
   * expect(widget).toHaveCondition('Ready', { reason: 'Deployed' })
   */
  toHaveCondition(type: string, expected?: Partial<StatusCondition>): void
  /**
   * Checks that a manager owns fields of an object. A path is spelled as in conflicts of server-side apply, and includes the fields below it.
   *
   * @example
   * expect(deployment).toHaveManagedFields('my-operator', ['.spec.replicas', '.spec.template.spec.containers[name="web"].image'])
   */
  toHaveManagedFields(manager: string, paths: readonly string[]): void
}

/** Matchers for `expect.extend` of Vitest and Jest. */
export const matchers: {
  readonly toHaveCondition: (received: unknown, type: string, expected?: Partial<StatusCondition>) => MatcherResult
  readonly toHaveManagedFields: (received: unknown, manager: string, paths: readonly string[]) => MatcherResult
} = {
  toHaveCondition(received, type, expected = {}) {
    const object = requireObject(received, 'toHaveCondition')
    const conditions = readConditions(object)
    const wantedCondition = { status: 'True', ...expected, type }
    const pass = conditions.some((condition) => isPartOf(wantedCondition, condition))
    const foundText = conditions.length === 0 ? 'it has none' : `its conditions are ${conditions.map(formatCondition).join(', ')}`
    return {
      pass,
      message: () =>
        `expected ${describe(object)} ${pass ? 'not ' : ''}to have the condition ${formatCondition(wantedCondition)}; ${foundText}`,
    }
  },
  toHaveManagedFields(received, manager, paths) {
    const object = requireObject(received, 'toHaveManagedFields')
    const owned = listOwnedPaths(object, manager)
    const missing = paths.filter((path) => !owned.some((other) => isPathOrBelow(other, path)))
    const pass = missing.length === 0
    const describeResult = (): string =>
      pass
        ? `expected ${manager} not to own ${paths.join(', ')} of ${describe(object)}`
        : `expected ${manager} to own ${missing.join(', ')} of ${describe(object)}; ${
            owned.length === 0
              ? `it owns no fields, and the managers are ${listManagers(object).join(', ') || 'none'}`
              : `it owns ${owned.join(', ')}`
          }`
    return { pass, message: describeResult }
  },
}

function requireObject(received: unknown, matcher: string): KubeObject {
  const { metadata } = (received ?? {}) as Partial<KubeObject>
  if (typeof metadata !== 'object') throw new TypeError(`${matcher}: the received value is not a Kubernetes object`)
  return received as KubeObject
}

function isPartOf(wantedCondition: Partial<StatusCondition>, condition: StatusCondition): boolean {
  return Object.entries(wantedCondition).every(
    ([field, value]) => value === undefined || condition[field as keyof StatusCondition] === value,
  )
}

function describe({ kind = 'the object', metadata: { namespace, name = '' } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

function listOwnedPaths({ metadata }: KubeObject, manager: string): readonly string[] {
  return (metadata.managedFields ?? [])
    .filter((entry) => entry.manager === manager)
    .flatMap(({ fieldsV1 }) => listPaths(normalizeFieldSet(fieldsV1)).map(formatPath))
}

/** Returns whether a path is equal to another or below it: `.spec.replicas` is below `.spec`, and `.specific` is not. */
function isPathOrBelow(path: string, other: string): boolean {
  return path.startsWith(other) && ['', '.', '['].includes(path.charAt(other.length))
}

function listManagers({ metadata }: KubeObject): readonly string[] {
  return [...new Set((metadata.managedFields ?? []).map(({ manager = '' }: ManagedFieldsEntry) => manager))]
}
