import type { StructTypes } from '../environment.ts'
import { reservedWords } from '../syntax/reserved-words.ts'
import { createStructType } from '../types/type.ts'
import type { Type } from '../types/type.ts'
import { parseType } from './signature.ts'

/** Struct types with their field types, in the syntax of `declareFunctions`. */
export type StructDeclarations = Readonly<Record<string, Readonly<Record<string, string>>>>

export function declareStructs(declarations: StructDeclarations): StructTypes {
  return {
    find: (name) => (Object.hasOwn(declarations, name) ? createStructType(name) : undefined),
    findField: (typeName, field): Type | undefined => {
      const fields = declarations[typeName]!
      const name = !Object.hasOwn(fields, field) && reservedWords.has(field) ? `__${field}__` : field
      return Object.hasOwn(fields, name) ? parseType(fields[name]!) : undefined
    },
  }
}
