import { quote } from '../go-text.ts'
import type { FieldSchema, TypeSchema } from '../type-schema.ts'
import { PatchFailure } from './patch-failure.ts'

/** Schema and patch strategy of a field. */
export interface PatchMeta {
  /** Schema of the field's value. For a list, schema of its items. */
  readonly schema: TypeSchema
  readonly strategy: 'merge' | 'replace' | ''
  readonly mergeKey: string
}

export function lookupStruct(schema: TypeSchema, key: string): PatchMeta {
  const field = findField(schema, key)
  return readPatchMeta(field, field.type)
}

export function lookupList(schema: TypeSchema, key: string): PatchMeta {
  const field = findField(schema, key)
  if (field.type.kind !== 'list') throw new PatchFailure(`expected slice or array type, but got: ${goKind(schema)}`)
  if (field.type.items.kind === 'list') throw new PatchFailure('unexpected slice of slice')
  return readPatchMeta(field, field.type.items)
}

function findField(schema: TypeSchema, key: string): FieldSchema {
  if (schema.kind !== 'struct') {
    if (!structKinds.has(schema.kind)) {
      throw new PatchFailure(`merging an object in json but data type is not struct, instead is: ${goKind(schema)}`)
    }
    throw new PatchFailure(`unable to find api field in struct ${structKinds.get(schema.kind)!} for the json field ${quote(key)}`)
  }
  const folded = key.toLowerCase()
  const field = schema.byName.get(key) ?? schema.fields.find((candidate) => candidate.name.toLowerCase() === folded)
  if (field === undefined) throw new PatchFailure(`unable to find api field in struct ${schema.name} for the json field ${quote(key)}`)
  return field
}

function readPatchMeta(field: FieldSchema, schema: TypeSchema): PatchMeta {
  const strategy = field.patchStrategy?.find((one) => one !== 'retainKeys') ?? ''
  return { schema, strategy: strategy, mergeKey: field.patchMergeKey ?? '' }
}

const structKinds: ReadonlyMap<string, string> = new Map([
  ['quantity', 'Quantity'],
  ['intOrString', 'IntOrString'],
  ['time', 'Time'],
  ['microTime', 'MicroTime'],
  ['duration', 'Duration'],
  ['rawExtension', 'RawExtension'],
  ['fieldsV1', 'FieldsV1'],
  ['json', 'JSON'],
])

/** Returns the kind of the Go type, as in Go's reflect.Kind. */
export function goKind(schema: TypeSchema): string {
  switch (schema.kind) {
    case 'list':
    case 'bytes':
      return 'slice'
    case 'double':
      return 'float64'
    default:
      return structKinds.has(schema.kind) ? 'struct' : schema.kind
  }
}
