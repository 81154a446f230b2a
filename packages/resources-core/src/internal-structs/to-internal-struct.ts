import { coreV1 } from '@keelson/api/core/v1'
import { wasSentEmpty } from '@keelson/apimachinery'
import type { FieldSchema, StructSchema, TypeSchema } from '@keelson/apimachinery'
import { valueFields, internalFieldOrder } from './field-order.ts'

interface Member {
  readonly field: FieldSchema
  readonly goName: string
  readonly isPointer: boolean
}
type Members = Readonly<Record<string, unknown>>

const memberCache = new WeakMap<StructSchema, readonly Member[]>()

/**
 * Converts a value to kube-apiserver's internal type for error messages: with Go field names, and zero values for missing fields.
 *
 *     toInternalStruct(coreV1.table.resolve('Taint'), { key: 'a', effect: 'NoSchedule' })
 *     // { Key: 'a', Value: '', Effect: 'NoSchedule', TimeAdded: null }
 */
export function toInternalStruct(struct: StructSchema, value: unknown): unknown {
  return encode(value, struct)
}

function encode(value: unknown, type: TypeSchema): unknown {
  switch (type.kind) {
    case 'struct':
      return hasJsonTags(type) ? (value ?? {}) : encodeStruct((value ?? {}) as Members, type)
    case 'list':
      return isAbsent(value) ? null : (value as readonly unknown[]).map((item) => encode(item, type.items))
    case 'map':
      return isAbsent(value) ? null : encodeMap(value, type.values)
    case 'bool':
      return value ?? false
    case 'int32':
    case 'int64':
    case 'intOrString':
      return value ?? 0
    case 'quantity':
      return value ?? '0'
    case 'string':
      return value ?? ''
    default:
      return value ?? null
  }
}

function encodeMap(value: object, type: TypeSchema): unknown {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, encode(member, type)]))
}

function encodeStruct(value: Members, struct: StructSchema): object {
  const object: Record<string, unknown> = {}
  for (const { field, goName, isPointer } of listMembers(struct)) {
    const { name, type } = field
    const member = struct.name === 'PodSpec' && name === 'securityContext' ? toSecurityContext(value) : value[name]
    if (type.kind === 'struct' && type.name === 'ObjectMeta') Object.assign(object, member)
    else if (isAbsent(member) && wasSentEmpty(value, name)) object[goName] = type.kind === 'list' ? [] : {}
    else object[goName] = isPointer && isAbsent(member) ? null : encode(member, type)
  }
  return object
}

/** Returns the internal security context of a pod. It contains the host namespaces, which are fields of the pod spec in v1. */
function toSecurityContext({ hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext }: PodSpecMembers): object {
  return { ...securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers }
}

interface PodSpecMembers {
  readonly [name: string]: unknown
  readonly securityContext?: object
}

/**
 * Returns whether the fields of a struct are printed with their JSON names. This is the case for types of meta/v1, which have no internal
 * type.
 */
function hasJsonTags({ definition }: StructSchema): boolean {
  return definition.startsWith('io.k8s.apimachinery.')
}

function listMembers(struct: StructSchema): readonly Member[] {
  let members = memberCache.get(struct)
  if (members === undefined) {
    const fields = internalFieldOrder[struct.name]?.split(' ').map((name) => findField(struct, name)) ?? struct.fields
    members = fields.map((field) => ({
      field,
      goName: field.goField ?? field.name.charAt(0).toUpperCase() + field.name.slice(1),
      isPointer: field.pointer === true && !valueFields.has(`${struct.name}.${field.name}`),
    }))
    memberCache.set(struct, members)
  }
  return members
}

/**
 * Returns the schema of a struct's field. Looks in the pod spec too, because the internal security context contains fields of the pod spec.
 */
function findField(struct: StructSchema, name: string): FieldSchema {
  return struct.byName.get(name) ?? coreV1.table.resolve('PodSpec').byName.get(name)!
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
