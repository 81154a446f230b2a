import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject, Quantities, Quantity } from '@keelson/apimachinery'

/** The fields of a write that determine whether a resource quota charges for it. */
export interface QuotaWrite<T extends KubeObject = KubeObject> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly subresource: string
  readonly object: DeepReadonly<T> | undefined
  readonly oldObject: DeepReadonly<T> | undefined
}

/** A requirement of a quota's scope selector, as in `v1.ScopedResourceSelectorRequirement`. */
export interface ScopeSelector {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** The rules by which resource quotas count the usage of a resource's objects. All members are pure functions. */
export interface QuotaRules<T extends KubeObject = KubeObject> {
  /** Returns whether the write may change the usage. */
  isCharged(write: QuotaWrite<T>): boolean
  /** Returns whether objects of the resource count against a limit of this name ("requests.cpu"). */
  isLimitedBy(limit: string): boolean
  /** Returns the usage of one object, with the names of quota limits as keys. `now` is in milliseconds since the epoch. */
  computeUsage(object: DeepReadonly<T>, now: number): Quantities
  /** Returns whether the object is in the scope. Default: false. */
  isInScope?(selector: ScopeSelector, object: DeepReadonly<T>): boolean
  /** Returns an error message if the object lacks a field that these limits require. Default: undefined. */
  describeMissingLimit?(limits: readonly string[], object: DeepReadonly<T>): string | undefined
}

/** The quantity 1: the usage of one object. */
export const oneObject: Quantity = parseQuantity('1')

/**
 * Creates rules that count each object as 1 in the limit "count/deployments.apps". `alias` is an older name of the same limit
 * ("configmaps").
 */
export function countObjects({ group, resource }: GroupResource, alias?: string): QuotaRules {
  const count = group === '' ? `count/${resource}` : `count/${resource}.${group}`
  const names = alias === undefined ? [count] : [count, alias]
  const usage = new Map(names.map((name) => [name, oneObject]))
  return {
    isCharged: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    isLimitedBy: (limit) => names.includes(limit),
    computeUsage: () => usage,
  }
}

/**
 * Returns whether a scope selector matches a value, by the rules of label selectors. `value` is undefined if the object has no such value.
 */
export function selectsScope({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}
