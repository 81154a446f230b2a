import type { JsonObject, JsonValue, TypeSchema } from '@keelson/apimachinery'

/** A value inside an object, with its path and schema type. */
export interface Location {
  /** Field names and list indexes that lead from the object to the value. */
  readonly path: readonly (string | number)[]
  readonly value: JsonValue
  /** Schema type of the value. Undefined if the schema does not have the field. */
  readonly type: TypeSchema | undefined
  replace(value: JsonValue): void
  remove(): void
}

/** Lists all values inside an object. A value comes before the values inside it. */
export function listLocations(root: JsonValue, type: TypeSchema | undefined): Location[] {
  const locations: Location[] = []
  const visit = (value: JsonValue, type: TypeSchema | undefined, path: Location['path']): void => {
    if (Array.isArray(value))
      value.forEach((item, index) => {
        const inner = type?.kind === 'list' ? type.items : undefined
        locations.push({
          path: [...path, index],
          value: item,
          type: inner,
          replace: (other) => void (value[index] = other),
          remove: () => void value.splice(index, 1),
        })
        visit(item, inner, [...path, index])
      })
    else if (isObject(value))
      for (const [name, member] of Object.entries(value)) {
        const inner = findMemberType(type, name)
        locations.push({
          path: [...path, name],
          value: member,
          type: inner,
          replace: (other) => void (value[name] = other),
          remove: () => void delete value[name],
        })
        visit(member, inner, [...path, name])
      }
  }
  visit(root, type, [])
  return locations
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the name of the innermost field on the path of a value. */
export function getFieldName({ path }: Location): string {
  return path.findLast((part) => typeof part === 'string') ?? ''
}

/** Returns the JSON pointer (RFC 6901) to a value. */
export function formatJsonPointer({ path }: Location): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function findMemberType(type: TypeSchema | undefined, name: string): TypeSchema | undefined {
  if (type?.kind === 'map') return type.values
  return type?.kind === 'struct' ? type.byName.get(name)?.type : undefined
}
