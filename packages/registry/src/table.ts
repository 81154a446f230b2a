import { parseTime } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Column, ColumnGroup, ResourceDefinition } from './resource-definition.ts'
import type { TableCell, TableColumn, TableConvertor } from './rest.ts'

/** The Name column, for definitions that set `allColumns`. */
export const nameColumn: Column<KubeObject> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Unique within its namespace, or within the cluster for kinds without one. Cannot be changed.',
  value: (object) => object.metadata.name ?? '',
}
/** The Age column, for definitions that set `allColumns`. */
export const ageColumn: Column<KubeObject> = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  value: (object, now) => formatAge(object.metadata.creationTimestamp, now),
}
const createdAtColumn: Column<KubeObject> = {
  name: 'Created At',
  type: 'date',
  description: 'When the server created the object, in RFC 3339 form and UTC.',
  value: (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
}

type AnyColumn<T extends KubeObject> = Column<T> | ColumnGroup<T>
type Columns<T extends KubeObject> = Pick<ResourceDefinition<T>, 'columns' | 'allColumns'>

/** Creates the columns and cells for a resource's Tables. */
export function createTableConvertor<T extends KubeObject>(
  definition: Columns<T> & Pick<ResourceDefinition<T>, 'getTableConditions'>,
): TableConvertor {
  const columns = listColumns(definition)
  const { getTableConditions } = definition
  return {
    columns: columns.flatMap(describeColumns),
    nullRows: isGeneric(definition),
    createCells: (object, now) => printCells(columns, object as DeepReadonly<T>, now),
    ...(getTableConditions === undefined
      ? undefined
      : { getConditions: (object: DeepReadonly<KubeObject>) => getTableConditions(object as DeepReadonly<T>) }),
  }
}

function describeColumns<T extends KubeObject>(column: AnyColumn<T>): readonly TableColumn[] {
  const columns = 'row' in column ? column.columns : column.isUnlisted === true ? [] : [column]
  const { priority = 0 } = column
  return columns.map(({ name, type = 'string', format = '', description = '' }) => ({ name, type, format, description, priority }))
}

function printCells<T extends KubeObject>(columns: readonly AnyColumn<T>[], object: DeepReadonly<T>, now: number): readonly TableCell[] {
  const cells: TableCell[] = []
  for (const column of columns) {
    if ('row' in column) for (const cell of column.row(object, now)) cells.push(cell)
    else cells.push(column.value(object, now))
  }
  return cells
}

/** Returns true if kube-apiserver has no printer for the kind. */
function isGeneric<T extends KubeObject>({ columns, allColumns }: Columns<T>): boolean {
  return columns === undefined && allColumns === undefined
}

function listColumns<T extends KubeObject>(definition: Columns<T>): readonly AnyColumn<T>[] {
  if (definition.allColumns !== undefined) return definition.allColumns
  if (definition.columns === undefined) return [nameColumn, createdAtColumn]
  const isWide = (column: AnyColumn<T>): boolean => (column.priority ?? 0) > 0
  return [nameColumn, ...definition.columns.filter((column) => !isWide(column)), ageColumn, ...definition.columns.filter(isWide)]
}

/** Formats the time since `time` as in the Age column of Tables. Returns `<unknown>` if `time` is unset. */
export function formatAge(time: string | null | undefined, now: number): string {
  return time === undefined || time === null || time === '' ? '<unknown>' : formatHumanDuration(now - parseTime(time))
}

/**
 * Formats a duration with at most two units, and with one unit if it is long: 45s, 5m30s, 3h, 7d12h, 2y40d. Returns "0s" for small negative
 * durations, because the clocks of two machines may differ by a second or two.
 */
export function formatHumanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (days < 8) return withRest(days, 'd', hours % 24, 'h')
  if (days < 2 * 365) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 8 * 365 ? withRest(years, 'y', days % 365, 'd') : `${years}y`
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`
}
