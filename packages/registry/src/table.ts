import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { age } from './human-duration.ts'
import type { Column, ColumnGroup, ResourceDefinition } from './resource-definition.ts'
import type { TableCell, TableColumn, TableConvertor } from './rest.ts'

/** For definitions that list all their columns. */
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

type AnyColumn<T extends KubeObject> = Column<T> | ColumnGroup<T>
type Columns<T extends KubeObject> = Pick<ResourceDefinition<T>, 'columns' | 'allColumns'>

/** The Table form of a resource. */
export function tableConvertor<T extends KubeObject>(
  definition: Columns<T> & Pick<ResourceDefinition<T>, 'tableConditions'>,
): TableConvertor {
  const columns = columnsOf(definition)
  const { tableConditions } = definition
  return {
    columns: columns.flatMap(listedColumns),
    nullRows: isGeneric(definition),
    cells: (object, now) => cellsOf(columns, object as DeepReadonly<T>, now),
    ...(tableConditions === undefined
      ? undefined
      : { conditions: (object: DeepReadonly<KubeObject>) => tableConditions(object as DeepReadonly<T>) }),
  }
}

function listedColumns<T extends KubeObject>(column: AnyColumn<T>): readonly TableColumn[] {
  const columns = 'row' in column ? column.columns : column.isUnlisted === true ? [] : [column]
  const { priority = 0 } = column
  return columns.map(({ name, type = 'string', format = '', description = '' }) => ({ name, type, format, description, priority }))
}

function cellsOf<T extends KubeObject>(columns: readonly AnyColumn<T>[], object: DeepReadonly<T>, now: number): readonly TableCell[] {
  const cells: TableCell[] = []
  for (const column of columns) {
    if ('row' in column) for (const cell of column.row(object, now)) cells.push(cell)
    else cells.push(column.value(object, now))
  }
  return cells
}

/** kube-apiserver has no printer for the kind. */
function isGeneric<T extends KubeObject>({ columns, allColumns }: Columns<T>): boolean {
  return columns === undefined && allColumns === undefined
}

function columnsOf<T extends KubeObject>(definition: Columns<T>): readonly AnyColumn<T>[] {
  if (definition.allColumns !== undefined) return definition.allColumns
  if (definition.columns === undefined) return [nameColumn, createdAtColumn]
  const wide = (column: AnyColumn<T>): boolean => (column.priority ?? 0) > 0
  return [nameColumn, ...definition.columns.filter((column) => !wide(column)), ageColumn, ...definition.columns.filter(wide)]
}
