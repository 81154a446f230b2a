import { describe } from './decode-context.ts'
import { JsonError } from './json-error.ts'
import type { JsonValue, TypeMeta } from './meta.ts'

/**
 * `kind` and `apiVersion` of a document whose type is not known yet. Names match whatever their case, as the original looks here
 * (and nowhere else). Throws `JsonError`, whose message says that the version and kind could not be got.
 */
export function readTypeMeta(value: JsonValue): Required<TypeMeta> {
  const found = { apiVersion: '', kind: '' }
  if (value === null) return found
  if (typeof value !== 'object' || Array.isArray(value)) throw failure(`${describe(value)} into Go value of type ${goType}`)
  for (const [key, member] of Object.entries(value)) {
    const field = key.toLowerCase() === 'apiversion' ? 'apiVersion' : key.toLowerCase() === 'kind' ? 'kind' : undefined
    if (field === undefined || member === null) continue
    if (typeof member !== 'string') throw failure(`${describe(member)} into Go struct field .${field} of type string`)
    found[field] = member
  }
  return found
}

const goType = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function failure(what: string): JsonError {
  return new JsonError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`)
}
