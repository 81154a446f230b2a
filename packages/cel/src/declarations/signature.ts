import {
  listType,
  mapType,
  createOpaqueType,
  createOptionalType,
  createStructType,
  createTypeParameter,
  types,
  createTypeType,
} from '../types/type.ts'
import type { Type } from '../types/type.ts'
import type { FunctionDeclaration, Overload } from './function-declaration.ts'

/**
 * Parses function declarations. Each line declares a function, `name overload_id(string, list<T>) -> bool`, or a member function, `name
 * overload_id string.(int) -> bool`. A single capital letter is a type parameter. Unknown names are struct types, except those in `net`,
 * which are opaque types.
 */
export function declareFunctions(text: string): readonly FunctionDeclaration[] {
  const overloads = new Map<string, Overload[]>()
  for (const line of text.split('\n').map((part) => part.trim())) {
    if (line === '') continue
    const [, name, id, target, args, result] = signature.exec(line)!
    const parser = new TypeParser()
    const argTypes = [...(target === undefined ? [] : [parser.type(target)]), ...parser.list(args!)]
    const resultType = parser.type(result!)
    const existing = overloads.get(name!) ?? []
    overloads.set(name!, existing)
    existing.push({ id: id!, isMember: target !== undefined, args: argTypes, result: resultType, typeParameters: [...parser.parameters] })
  }
  return [...overloads].map(([name, list]) => ({ name, overloads: list }))
}

const signature = /^(\S+) ([\w.@-]+)(?: ([^(]+)\.)?\((.*)\) -> (.+)$/

const named: Readonly<Record<string, Type>> = {
  ...types,
  null_type: types.null,
}

export function parseType(text: string): Type {
  return new TypeParser().type(text)
}

class TypeParser {
  readonly parameters = new Set<string>()

  list(text: string): readonly Type[] {
    return split(text).map((part) => this.type(part))
  }

  type(text: string): Type {
    const match = /^([\w.]+)(?:<(.*)>)?$/.exec(text.trim())
    const [, name = '', inner] = match ?? []
    if (inner === undefined) return this.#simple(name)
    const [first, second] = this.list(inner) as readonly [Type, Type | undefined]
    if (name === 'list') return listType(first)
    if (name === 'map') return mapType(first, second!)
    return name === 'optional' ? createOptionalType(first) : createTypeType(first)
  }

  #simple(name: string): Type {
    if (!/^[A-Z]$/.test(name)) return named[name] ?? (name.startsWith('net.') ? createOpaqueType(name) : createStructType(name))
    this.parameters.add(name)
    return createTypeParameter(name)
  }
}

/** Splits at commas outside brackets. */
function split(text: string): readonly string[] {
  const typeTexts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const character = text[i]
    if (character === '<') depth++
    else if (character === '>') depth--
    else if (i === text.length || (character === ',' && depth === 0)) {
      typeTexts.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  return typeTexts.filter((part) => part !== '')
}
