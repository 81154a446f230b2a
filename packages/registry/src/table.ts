import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { age } from './human-duration.ts'
import type { Column, ResourceDefinition } from './resource-definition.ts'
import type { TableConvertor } from './rest.ts'

/** For definitions that give all their columns. */
export const nameColumn: Column<KubeObject> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Unique within its namespace, or within the cluster for kinds without one. Cannot be changed.',
  value: (object) => object.metadata.name ?? '',
}
export const ageColumn: Column<KubeObject> = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  value: (object, now) => age(object.metadata.creationTimestamp, now),
}
const createdAtColumn: Column<KubeObject> = {
  name: 'Created At',
  type: 'date',
  description: 'When the server created the object, in RFC 3339 form and UTC.',
  value: (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
}

/** The Table form of a resource. */
export function tableConvertor<T extends KubeObject>(
  definition: Pick<ResourceDefinition<T>, 'columns' | 'allColumns' | 'tableConditions'>,
): TableConvertor {
  const columns = columnsOf(definition)
  const { tableConditions } = definition
  return {
    columns: columns
      .filter(({ isUnlisted = false }) => !isUnlisted)
      .map(({ name, type = 'string', format = '', description = '', priority = 0 }) => ({ name, type, format, description, priority })),
    nullRows: isGeneric(definition),
    cells: (object, now) => columns.map((column) => column.value(object as DeepReadonly<T>, now)),
    ...(tableConditions === undefined
      ? undefined
      : { conditions: (object: DeepReadonly<KubeObject>) => tableConditions(object as DeepReadonly<T>) }),
  }
}

/** The original has no printer of its own for the kind. */
function isGeneric<T extends KubeObject>({ columns, allColumns }: Pick<ResourceDefinition<T>, 'columns' | 'allColumns'>): boolean {
  return columns === undefined && allColumns === undefined
}

function columnsOf<T extends KubeObject>(definition: Pick<ResourceDefinition<T>, 'columns' | 'allColumns'>): readonly Column<T>[] {
  if (definition.allColumns !== undefined) return definition.allColumns
  if (definition.columns === undefined) return [nameColumn, createdAtColumn]
  const wide = (column: Column<T>): boolean => (column.priority ?? 0) > 0
  return [nameColumn, ...definition.columns.filter((column) => !wide(column)), ageColumn, ...definition.columns.filter(wide)]
}
