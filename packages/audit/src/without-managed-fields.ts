import { isJsonObject, parseJson, stringifyJson } from '@keelson/apimachinery'
import type { JsonValue } from '@keelson/apimachinery'

/** Removes the managed fields of an object, of the items of a list, or of the objects in the rows of a table. */
export function withoutManagedFields(json: string): string {
  if (!json.includes('"managedFields"')) return json
  const { value } = parseJson(json)
  if (!isJsonObject(value)) return json
  removeFrom(value)
  for (const item of toList(value['items'])) removeFrom(item)
  for (const row of toList(value['rows'])) if (isJsonObject(row)) removeFrom(row['object'])
  return stringifyJson(value)
}

function toList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function removeFrom(value: JsonValue | undefined): void {
  const metadata = isJsonObject(value) ? value['metadata'] : undefined
  if (isJsonObject(metadata)) delete metadata['managedFields']
}
