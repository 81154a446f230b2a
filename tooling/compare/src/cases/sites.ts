import type { JsonObject, JsonValue, TypeSchema } from '@keelson/apimachinery'

/** A place in an object, and what its schema says of it: nothing for a field that the schema does not know. */
export interface Site {
  /** Steps from the root: names of members, indexes of items. */
  readonly path: readonly (string | number)[]
  readonly value: JsonValue
  readonly type: TypeSchema | undefined
  replace(value: JsonValue): void
  remove(): void
}

/** Every place in an object but the object itself, outer ones first. */
export function sitesOf(root: JsonValue, type: TypeSchema | undefined): Site[] {
  const found: Site[] = []
  const visit = (value: JsonValue, type: TypeSchema | undefined, path: Site['path']): void => {
    if (Array.isArray(value))
      value.forEach((item, index) => {
        const inner = type?.kind === 'list' ? type.items : undefined
        found.push({
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
        const inner = memberType(type, name)
        found.push({
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
  return found
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The name of the field that holds a place, be it in a list or not. */
export function fieldOf({ path }: Site): string {
  return path.findLast((part) => typeof part === 'string') ?? ''
}

/** As JSON patches write it. */
export function pointerOf({ path }: Site): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function memberType(type: TypeSchema | undefined, name: string): TypeSchema | undefined {
  if (type?.kind === 'map') return type.values
  return type?.kind === 'struct' ? type.byName.get(name)?.type : undefined
}
