import type { JsonObject, JsonValue } from '@keelson/apimachinery'

/**
 * Extracts the part of an object that a field manager owns. `fields` is the manager's `fieldsV1`. If the manager owns a null value, it has
 * sent an empty list.
 */
export function extractManagedFields(value: JsonValue, fields: JsonObject): JsonValue {
  const elements = Object.entries(fields as Record<string, JsonObject>).filter(([element]) => element !== '.')
  if (elements.length === 0) return value ?? []
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [, ownedFields] = elements.find(([element]) => isItem(element, item)) ?? []
      return ownedFields === undefined ? [] : [extractManagedFields(item, ownedFields)]
    })
  }
  const members = value as JsonObject
  const owned = elements.filter(([element]) => element.startsWith('f:') && members[element.slice(2)] !== undefined)
  return Object.fromEntries(owned.map(([element, own]) => [element.slice(2), extractManagedFields(members[element.slice(2)]!, own)]))
}

function isItem(element: string, item: JsonValue): boolean {
  const keyFields = JSON.parse(element.slice(2)) as JsonValue
  if (!element.startsWith('k:')) return keyFields === item
  return Object.entries(keyFields as JsonObject).every(([key, value]) => (item as JsonObject)[key] === value)
}
