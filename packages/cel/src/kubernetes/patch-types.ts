import type { StructTypes } from '../environment.ts'
import { createStructType, types } from '../types/type.ts'

const patch = 'JSONPatch'
const patchFields = new Map([
  ['op', types.string],
  ['from', types.string],
  ['path', types.string],
  ['value', types.dyn],
])

/** The types of patch expressions: `Object{}`, nested types such as `Object.spec{}` with any fields, and `JSONPatch{}`. */
export const patchTypes: StructTypes = {
  find: (name) => (name === patch || name === 'Object' || name.startsWith('Object.') ? createStructType(name) : undefined),
  findField: (typeName, field) => (typeName === patch ? (patchFields.get(field) ?? types.unspecified) : types.dyn),
}
