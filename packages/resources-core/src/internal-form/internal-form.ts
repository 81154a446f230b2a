import { wasSentEmpty } from '@keelson/apimachinery'
import { internalTypes } from './types.ts'
import type { InternalType } from './types.ts'

interface Member {
  readonly name: string
  readonly jsonName: string
  readonly type: string
}

const memberCache = new Map<string, readonly Member[]>()

/**
 * Converts a value to kube-apiserver's internal type, as error messages print it: Go field names, and zero values for missing fields.
 *
 *     internalForm('Taint', { key: 'a', effect: 'NoSchedule' })  // { Key: 'a', Value: '', Effect: 'NoSchedule', TimeAdded: null }
 */
export function internalForm(type: InternalType, value: unknown): unknown {
  return encode(value, type)
}

function encode(value: unknown, type: string): unknown {
  if (type.startsWith('*')) return isAbsent(value) ? null : encode(value, type.slice(1))
  if (type.startsWith('[]')) return isAbsent(value) ? null : (value as readonly unknown[]).map((item) => encode(item, type.slice(2)))
  if (type.startsWith('{}')) return isAbsent(value) ? null : encodeMap(value, type.slice(2))
  switch (type) {
    case 'string':
      return value ?? ''
    case 'bool':
      return value ?? false
    case 'int':
    case 'intOrString':
      return value ?? 0
    case 'quantity':
      return value ?? '0'
    case 'time':
      return value ?? null
    case 'json':
      return value ?? {}
    default:
      return encodeStruct((value ?? {}) as Readonly<Record<string, unknown>>, type)
  }
}

function encodeMap(value: object, type: string): unknown {
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, encode(member, type)]))
}

function encodeStruct(value: Readonly<Record<string, unknown>>, type: string): object {
  const object: Record<string, unknown> = {}
  for (const { name, jsonName, type: memberType } of membersOf(type)) {
    if (name === '^metadata') Object.assign(object, value['metadata'])
    else if (name.startsWith('^')) Object.assign(object, encodeStruct(value, name.slice(1)))
    else if (isAbsent(value[jsonName]) && wasSentEmpty(value, jsonName)) object[name] = memberType.startsWith('[]') ? [] : {}
    else object[name] = encode(type === 'PodSpec' && name === 'SecurityContext' ? securityContextOf(value) : value[jsonName], memberType)
  }
  return object
}

/** The host namespaces of a pod are fields of the pod spec in v1, but of the security context in the internal type. */
function securityContextOf({ hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext }: PodSpecMembers): object {
  return { ...securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers }
}

interface PodSpecMembers {
  readonly [name: string]: unknown
  readonly securityContext?: object
}

function membersOf(type: string): readonly Member[] {
  let members = memberCache.get(type)
  if (members === undefined) {
    members = internalTypes[type as InternalType].split(';').map(parseMember)
    memberCache.set(type, members)
  }
  return members
}

function parseMember(text: string): Member {
  const [names = '', type = 'string'] = text.split(':')
  const [name = '', jsonName = name.charAt(0).toLowerCase() + name.slice(1)] = names.split('=')
  return { name, jsonName, type }
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
