import { parseJson } from '@keelson/apimachinery'

/**
 * Parses the JSON list of objects in an annotation. Converts the keys of the objects to lower case, because Go ignores the case of field
 * names.
 */
export function parseAnnotationList(text: string, goType: string): Readonly<Record<string, unknown>>[] {
  const { value } = parseJson(text)
  if (value === null) return []
  if (!Array.isArray(value)) throw new Error(`json: cannot unmarshal ${goKind(value)} into Go value of type []${goType}`)
  return value.map((item) => lowerCaseKeys(item, goType))
}

/** Returns a copy of a JSON object with lower-case keys. */
export function lowerCaseKeys(value: unknown, goType: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`json: cannot unmarshal ${Array.isArray(value) ? 'array' : goKind(value)} into Go value of type ${goType}`)
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]))
}

/** Returns a string field of a JSON object. Returns "" if the field is missing or not a string. */
export function getString(members: Readonly<Record<string, unknown>>, name: string): string {
  const member = members[name]
  return typeof member === 'string' ? member : ''
}

function goKind(value: unknown): string {
  return typeof value === 'boolean' ? 'bool' : typeof value
}
