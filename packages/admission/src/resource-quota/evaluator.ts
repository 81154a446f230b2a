import type { Quantities } from '@keelson/api'
import type { ScopedResourceSelectorRequirement } from '@keelson/api/core/v1'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import { one } from './amounts.ts'

export type ScopeSelector = DeepReadonly<ScopedResourceSelectorRequirement>

/** How the objects of a resource are charged. */
export interface Evaluator {
  /** Could this write change what is used? */
  handles(attributes: AdmissionAttributes): boolean
  /** Of the names that a quota limits, those that such objects use. */
  matching(name: string): boolean
  usage(object: DeepReadonly<KubeObject>): Quantities
  /** Default: the objects are in no scope. */
  inScope?(selector: ScopeSelector, object: DeepReadonly<KubeObject>): boolean
  /** What is missing in an object that is to be charged for `limited`. Default: nothing. */
  complaint?(limited: readonly string[], object: DeepReadonly<KubeObject>): string | undefined
}

/** "count/deployments.apps". */
export function countName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`
}

/** Every resource is counted; some of core have an older name for it. */
export function objectCount(resource: GroupResource, alias?: string): Evaluator {
  const names = [countName(resource), ...(alias === undefined ? [] : [alias])]
  const usage = new Map(names.map((name) => [name, one]))
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    matching: (name) => names.includes(name),
    usage: () => usage,
  }
}

/** As a label would be selected by it; undefined is no label. */
export function selects({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return value !== undefined && values.includes(value)
  return value === undefined || !values.includes(value)
}
