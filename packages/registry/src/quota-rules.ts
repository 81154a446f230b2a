import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject, Quantities, Quantity } from '@keelson/apimachinery'

/** A write, as far as its charge depends on it. */
export interface QuotaWrite<T extends KubeObject = KubeObject> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly subresource: string
  readonly object: DeepReadonly<T> | undefined
  readonly oldObject: DeepReadonly<T> | undefined
}

/** A `v1.ScopedResourceSelectorRequirement`. */
export interface ScopeSelector {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** How resource quotas charge for the objects of a resource. Pure functions. */
export interface QuotaRules<T extends KubeObject = KubeObject> {
  /** Whether the write may change the usage. */
  isCharged(write: QuotaWrite<T>): boolean
  /** Whether such objects count against the limit of this name ("requests.cpu"). */
  isLimitedBy(limit: string): boolean
  /** The usage of one object, by the names of limits. `now`: milliseconds since the epoch. */
  usage(object: DeepReadonly<T>, now: number): Quantities
  /** Default: the objects are in no scope. */
  isInScope?(selector: ScopeSelector, object: DeepReadonly<T>): boolean
  /** Why an object cannot be charged for these limits: a member that it lacks. Default: undefined, it can. */
  complaint?(limits: readonly string[], object: DeepReadonly<T>): string | undefined
}

/** The usage of one object. */
export const oneObject: Quantity = parseQuantity('1')

/** Charges for each object as one: under "count/deployments.apps", and for some resources of core under an older name, too. */
export function countObjects({ group, resource }: GroupResource, alias?: string): QuotaRules {
  const count = group === '' ? `count/${resource}` : `count/${resource}.${group}`
  const names = alias === undefined ? [count] : [count, alias]
  const usage = new Map(names.map((name) => [name, oneObject]))
  return {
    isCharged: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    isLimitedBy: (limit) => names.includes(limit),
    usage: () => usage,
  }
}

/** Whether the selector selects the value, as a label selector would. Undefined: the object has none. */
export function scopeSelects({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}
