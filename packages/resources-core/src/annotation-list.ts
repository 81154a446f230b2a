import { parseJson } from '@keelson/apimachinery'

/** The JSON list that an annotation holds, each item with the lower-case names of its members: they are matched without regard to case. */
export function parseAnnotationList(text: string, goType: string): Readonly<Record<string, unknown>>[] {
  const { value } = parseJson(text)
  if (value === null) return []
  if (!Array.isArray(value)) throw new Error(`json: cannot unmarshal ${goKind(value)} into Go value of type []${goType}`)
  return value.map((item) => lowerCased(item, goType))
}

/** The members of one JSON object, by lower-case name. */
export function lowerCased(value: unknown, goType: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`json: cannot unmarshal ${Array.isArray(value) ? 'array' : goKind(value)} into Go value of type ${goType}`)
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]))
}

/** "" for what is no text. */
export function textMember(members: Readonly<Record<string, unknown>>, name: string): string {
  const member = members[name]
  return typeof member === 'string' ? member : ''
}

function goKind(value: unknown): string {
  return typeof value === 'boolean' ? 'bool' : typeof value
}
