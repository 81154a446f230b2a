import { isJsonObject, parseJson, stringifyJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'

/** Removes the managed fields of an object, or of the objects in the rows of a table. */
export function withoutManagedFields(json: string): string {
  return editObject(json, (value) => {
    removeFrom(value)
    const { rows } = value
    if (Array.isArray(rows)) for (const row of rows) removeFromRow(row)
  })
}

/** Removes the managed fields of an item of a list, or of the object in a row of a table. */
export function withoutManagedFieldsOfItem(json: string, kind: 'object' | 'row'): string {
  return editObject(json, kind === 'row' ? removeFromRow : removeFrom)
}

function editObject(json: string, edit: (value: Record<string, JsonValue>) => void): string {
  if (!json.includes('"managedFields"')) return json
  const { value } = parseJson(json)
  if (!isJsonObject(value)) return json
  edit(value)
  return stringifyJson(value)
}

function removeFromRow(row: JsonValue): void {
  if (isJsonObject(row)) removeFrom(row['object'])
}

function removeFrom(value: JsonValue | undefined): void {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined
  if (isJsonObject(metadata)) delete metadata['managedFields']
}
