import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject, Quantities, Quantity } from '@keelson/apimachinery'

/** The fields of a write that its charge depends on. */
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
  /** Error message if the object lacks a field that these limits require. Default: undefined. */
  complaint?(limits: readonly string[], object: DeepReadonly<T>): string | undefined
}

/** The usage of one object. */
export const oneObject: Quantity = parseQuantity('1')

/** Rules that charge one for each object, as "count/deployments.apps". `alias` is an older name of the same limit ("configmaps"). */
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

/** Returns whether the selector matches the value, like a label selector. `undefined`: the object has no value. */
export function scopeSelects({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}
