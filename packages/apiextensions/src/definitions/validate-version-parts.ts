import type { CustomResourceColumnDefinition } from '@keelson/api/apiextensions/v1'
import { measureUtf8Bytes, fieldError } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import type { Columns, Schema, Selectables, SharedFields } from './hub-spec.ts'
import { resolveJsonPath, validateSimpleJsonPath } from './json-path.ts'

// Rules for the parts of a version besides its schema.

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function validateColumns(columns: Columns, path: FieldPath): FieldErrorList {
  return columns.flatMap((column, i) => validateColumn(column, path.index(i)))
}

function validateColumn(
  { name, type, format = '', jsonPath }: DeepReadonly<CustomResourceColumnDefinition>,
  path: FieldPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  if (name === '') errors.push(fieldError.required(path.child('name')))
  const typeRule = `must be one of ${columnTypes.join(',')}`
  if (type === '') errors.push(fieldError.required(path.child('type'), typeRule))
  else if (!columnTypes.includes(type)) errors.push(fieldError.invalid(path.child('type'), type, typeRule))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(fieldError.invalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`))
  }
  const at = path.child('JSONPath')
  return [...errors, ...(jsonPath === '' ? [fieldError.required(at)] : validateSimpleJsonPath(jsonPath, at))]
}

export function validateSubresources(subresources: SharedFields['subresources'], path: FieldPath): FieldErrorList {
  const { scale } = subresources ?? {}
  if (scale === undefined) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  const check = (member: string, text: string, [prefixes, rule]: readonly [readonly string[], string]): FieldErrorList => {
    const at = path.child(`scale.${member}`)
    if (text === '') return [fieldError.required(at)]
    const errors = validateSimpleJsonPath(text, at)
    if (errors.length > 0 || prefixes.some((prefix) => text.startsWith(prefix))) return errors
    return [fieldError.invalid(at, text, `should be a json path under ${rule}`)]
  }
  return [
    ...check('specReplicasPath', specReplicasPath, [['.spec.'], '.spec']),
    ...check('statusReplicasPath', statusReplicasPath, [['.status.'], '.status']),
    ...(labelSelectorPath === '' ? [] : check('labelSelectorPath', labelSelectorPath, [['.spec.', '.status.'], 'either .spec or .status'])),
  ]
}

/** Maximum number of selectable fields of a version. */
export const maxSelectableFields = 8

/** Validates selectable fields. With `allowsTooMany`, their number is not limited, because the stored definition has as many. */
export function validateSelectableFields(
  fields: Selectables,
  path: FieldPath,
  { schema, allowsTooMany }: { readonly schema: Schema; readonly allowsTooMany: boolean },
): FieldErrorList {
  const errors: FieldErrorList = []
  const unique = new Set<string>()
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = path.index(i).child('jsonPath')
    const resolved = jsonPath === '' ? undefined : resolveJsonPath(jsonPath, schema, { allowsBrackets: false })
    if (resolved === undefined) errors.push(fieldError.required(at))
    else if (typeof resolved === 'string') errors.push(fieldError.invalid(at, jsonPath, `is an invalid path: ${resolved}`))
    else {
      if (resolved.root === 'metadata') errors.push(fieldError.invalid(at, jsonPath, 'must not point to fields in metadata'))
      if (!['string', 'boolean', 'integer'].includes(resolved.schema?.type ?? '')) {
        const detail = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
        errors.push(fieldError.invalid(at, jsonPath, detail))
      }
      const name = resolved.path.toString()
      if (unique.has(name)) errors.push(fieldError.duplicate(at, jsonPath))
      unique.add(name)
    }
  }
  if (unique.size > maxSelectableFields && !allowsTooMany) errors.push(fieldError.tooMany(path, unique.size, maxSelectableFields))
  return errors
}

const maxWarningBytes = 256
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

export function validateDeprecationWarning(deprecated: boolean, warning: string | undefined, path: FieldPath): FieldErrorList {
  if (warning === undefined) return []
  const refuse = (detail: string): FieldErrorList => [fieldError.invalid(path, warning, detail)]
  if (!deprecated) return refuse('can only be set for deprecated versions')
  const at = warning.search(unprintable)
  return [
    ...(measureUtf8Bytes(warning) > maxWarningBytes ? refuse(`must be <= ${maxWarningBytes} characters long`) : []),
    ...(warning === '' ? refuse('must not be an empty string') : []),
    ...(at < 0
      ? []
      : refuse(
          `must only contain printable UTF-8 characters; non-printable character found at index ${measureUtf8Bytes(warning.slice(0, at))}`,
        )),
  ]
}
