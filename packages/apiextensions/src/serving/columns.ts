import type { CustomResourceColumnDefinition } from '@keelson/api/apiextensions/v1'
import { goValue, isJsonObject, parseTime } from '@keelson/apimachinery'
import type { DeepReadonly, JsonValue, KubeObject } from '@keelson/apimachinery'
import { ageColumn, formatHumanDuration, nameColumn } from '@keelson/registry'
import type { Column, TableCell } from '@keelson/registry'
import { compileJsonPath } from './json-path.ts'
import type { JsonPath, Value } from './json-path.ts'

/** The column of definitions without columns. */
const defaultColumn: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: ageColumn.description!,
}

/**
 * Creates the columns of Tables from `additionalPrinterColumns`. As in kube-apiserver, the first column whose path is invalid ends the list.
 */
export function createColumns(
  definitions: readonly DeepReadonly<CustomResourceColumnDefinition>[] | null | undefined,
): readonly Column<KubeObject>[] {
  const columns: Column<KubeObject>[] = [nameColumn]
  for (const definition of definitions?.length ? definitions : [defaultColumn]) {
    const column = createColumn(definition)
    if (column === undefined) break
    columns.push(column)
  }
  return columns
}

function createColumn({
  name,
  type,
  format,
  description,
  priority,
  jsonPath,
}: DeepReadonly<CustomResourceColumnDefinition>): Column<KubeObject> | undefined {
  let path: JsonPath
  try {
    path = compileJsonPath(jsonPath)
  } catch {
    return undefined
  }
  return {
    name,
    type: type as NonNullable<Column<KubeObject>['type']>,
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(format && { format }),
    ...(priority && { priority }),
    value(object, now) {
      const value = readFirstValue(path, object)
      return value === undefined ? null : type === 'string' ? toText(value) : toCell(type, value, now)
    },
  }
}

function readFirstValue(path: JsonPath, object: DeepReadonly<KubeObject>): Value | undefined {
  try {
    return path.find(object)[0]
  } catch {
    return undefined
  }
}

/** Formats a value as text: lists and objects as JSON with sorted keys, other values as Go prints them. */
export function toText(value: Value): string {
  if (value === null) return '<no value>'
  if (typeof value === 'object') return JSON.stringify(sortKeys(value as JsonValue))
  return typeof value === 'string' ? value : goValue(value as JsonValue)
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key]!)]),
  )
}

function toCell(type: string, value: Value, now: number): TableCell {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? toAge(value, now) : null
    default:
      return null
  }
}

function toAge(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>'
  try {
    return formatHumanDuration(now - parseTime(text))
  } catch {
    return '<invalid>'
  }
}
