import type { Quantities } from '@keelson/api'
import type { ScopedResourceSelectorRequirement } from '@keelson/api/core/v1'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import { one } from './amounts.ts'

export type ScopeSelector = DeepReadonly<ScopedResourceSelectorRequirement>

/** Calculates the quota usage of a resource's objects. */
export interface Evaluator {
  /** Returns whether this write could change usage. */
  handles(attributes: AdmissionAttributes): boolean
  /** Returns whether objects of this resource consume the named quota resource. */
  matching(name: string): boolean
  usage(object: DeepReadonly<KubeObject>): Quantities
  /** Default: no scope matches. */
  inScope?(selector: ScopeSelector, object: DeepReadonly<KubeObject>): boolean
  /** Returns an error if the object omits a required value of the `limited` resources. Default: nothing is required. */
  complaint?(limited: readonly string[], object: DeepReadonly<KubeObject>): string | undefined
}

/** Formats as "count/deployments.apps". */
export function countName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`
}

/** Counts the objects of a resource; some core resources have a legacy alias. */
export function objectCount(resource: GroupResource, alias?: string): Evaluator {
  const names = [countName(resource), ...(alias === undefined ? [] : [alias])]
  const usage = new Map(names.map((name) => [name, one]))
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    matching: (name) => names.includes(name),
    usage: () => usage,
  }
}

/** Matches like a label selector; undefined means the label is absent. */
export function selects({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}
