import type { ComponentCondition, ComponentStatus } from '@keelson/api/core/v1'
import { getErrorMessage, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind } from '@keelson/apimachinery'
import { nameColumn, describeRESTStorage, createTableConvertor } from '@keelson/registry'
import type { Column, Getter, Lister, ListRequest, RESTStorage } from '@keelson/registry'

export const componentStatusKind: GroupVersionKind = { group: '', version: 'v1', kind: 'ComponentStatus' }

export interface ComponentHealth {
  readonly healthy: boolean
  /** Output of the component, or the reason why the check failed. */
  readonly message: string
}

/** Checks the health of a control plane component. A rejection counts as unhealthy. */
export type ComponentCheck = () => Promise<ComponentHealth>

/** Serves the health of control plane components by name ("etcd-0"). Each read runs the checks, because the health is not stored. */
export function createComponentStatuses(checks: Readonly<Record<string, ComponentCheck>>): RESTStorage & Getter & Lister {
  return {
    ...describeRESTStorage(componentStatusKind, {
      namespaced: false,
      singularName: 'componentstatus',
      shortNames: ['cs'],
      deprecations: { v1: { warning: 'v1 ComponentStatus is deprecated in v1.19+' } },
      table: createTableConvertor({ allColumns: columns }),
    }),
    async get(_context, name) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (check === undefined) throw newNotFound({ group: '', resource: 'componentstatus' }, name)
      return checkStatus(name, check)
    },
    async list(_context, { predicate }) {
      const names = Object.keys(checks).filter((name) => matches(name, predicate))
      return { revision: 0, items: await Promise.all(names.map((name) => checkStatus(name, checks[name]!))) }
    },
  }
}

/**
 * Returns whether a component matches the label selector and the field selector of a list. Components have no labels, and only the field
 * `metadata.name` can be selected.
 */
function matches(name: string, { labels, fields }: ListRequest['predicate']): boolean {
  return labels.matches({}) && fields.matches((field) => (field === 'metadata.name' ? name : ''))
}

async function checkStatus(name: string, check: ComponentCheck): Promise<ComponentStatus> {
  const condition = await check().then(
    ({ healthy, message }) => ({ type: 'Healthy', status: healthy ? 'True' : 'False', ...(message !== '' && { message }) }),
    (error: unknown) => ({ type: 'Healthy', status: 'False', error: getErrorMessage(error) }),
  )
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] }
}

const columns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  { name: 'Status', description: 'Healthy, Unhealthy or Unknown.', value: printHealth },
  { name: 'Message', description: 'Output of the component.', value: (status) => findHealthyCondition(status)?.message ?? '' },
  { name: 'Error', description: 'Error of the health check.', value: (status) => findHealthyCondition(status)?.error ?? '' },
]

function findHealthyCondition({ conditions = [] }: DeepReadonly<ComponentStatus>): DeepReadonly<ComponentCondition> | undefined {
  return conditions.find(({ type }) => type === 'Healthy')
}

function printHealth(status: DeepReadonly<ComponentStatus>): string {
  const condition = findHealthyCondition(status)
  if (condition === undefined) return 'Unknown'
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy'
}
