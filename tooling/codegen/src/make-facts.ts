import type { FieldFacts, GroupVersionFacts, MessageFacts } from './fact-types.ts'
import { scalarMessages } from './fact-types.ts'
import { getDeclaredDefault } from './defaults.ts'
import { getGoNames } from './go-names.ts'
import { findPackagePlace } from './group-names.ts'
import { isBareKind, isKind } from './kinds.ts'

interface ProtoField {
  readonly n: number
  readonly t: string
  readonly json?: string
  readonly rep?: true
  readonly map?: string
  readonly ptr?: true
  readonly omit?: 'empty' | 'zero'
  readonly struct?: true
  readonly inline?: true
  readonly list?: true
}
export type ProtoReference = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, ProtoField | boolean>>>>>>

interface SchemaProperty {
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic'
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
}
interface SchemaDefinition extends SchemaProperty {
  readonly properties?: Readonly<Record<string, SchemaProperty>>
  readonly required?: readonly string[]
}
export type SchemaReference = Readonly<Record<string, SchemaDefinition>>

/** Union types that are Go pointers, although the reference shows plain messages. */
const unionMembers = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/

/**
 * Returns a function that finds the OpenAPI definition with the fields of a message. For an inlined struct, this is the definition of a
 * message that contains the struct.
 */
function createDefinitionFinder(
  proto: ProtoReference,
  schema: SchemaReference,
): (protoPackage: string, message: string) => SchemaDefinition | undefined {
  const parents = new Map<string, [protoPackage: string, message: string]>()
  for (const [protoPackage, messages] of Object.entries(proto)) {
    for (const [message, fields] of Object.entries(messages)) {
      for (const field of Object.values(fields)) {
        if (typeof field === 'object' && field.inline)
          parents.set(field.t.includes('.') ? field.t : `${protoPackage}.${field.t}`, [protoPackage, message])
      }
    }
  }
  const find = (protoPackage: string, message: string): SchemaDefinition | undefined => {
    const parent = parents.get(`${protoPackage}.${message}`)
    return schema[`${findPackagePlace(protoPackage)?.definition}.${message}`] ?? (parent && find(...parent))
  }
  return find
}

/** Derives the facts of each group version from the reference. Keys are folders, like "core/v1". */
export function makeFacts(proto: ProtoReference, schema: SchemaReference): Map<string, GroupVersionFacts> {
  const tables = new Map<string, GroupVersionFacts>()
  const findDefinition = createDefinitionFinder(proto, schema)
  for (const [protoPackage, messages] of Object.entries(proto)) {
    const place = findPackagePlace(protoPackage)
    if (place === undefined) continue
    const table: Record<string, MessageFacts> = {}
    for (const [name, fields] of Object.entries(messages)) {
      if (scalarMessages[`${protoPackage}.${name}`] !== undefined) continue
      table[name] = makeMessageFacts(place.folder, name, fields, findDefinition(protoPackage, name))
    }
    tables.set(place.folder, {
      group: place.group,
      version: place.version,
      package: protoPackage,
      definition: place.definition,
      messages: table,
    })
  }
  return tables
}

function makeMessageFacts(
  folder: string,
  name: string,
  fields: Readonly<Record<string, ProtoField | boolean>>,
  definition: SchemaDefinition | undefined,
): MessageFacts {
  const result: Record<string, FieldFacts> = {}
  for (const [protoName, field] of Object.entries(fields)) {
    if (typeof field === 'boolean') continue
    const jsonName = field.json ?? protoName
    result[jsonName] = makeFieldFacts(folder, name, jsonName, field, definition)
  }
  const metadata = fields['metadata']
  const kind = isKind(folder, name, typeof metadata === 'object' ? metadata.t : undefined)
  return {
    ...(kind && { kind: isBareKind(folder, name) ? ('bare' as const) : (true as const) }),
    ...(fields['$list'] === true && { bareList: true as const }),
    ...(definition?.['x-kubernetes-map-type'] && { mapType: definition['x-kubernetes-map-type'] }),
    fields: result,
  }
}

function makeFieldFacts(
  folder: string,
  message: string,
  name: string,
  field: ProtoField,
  definition: SchemaDefinition | undefined,
): FieldFacts {
  const property = definition?.properties?.[name]
  const defaultValue = getDeclaredDefault(folder, message, name)
  const pointer = field.ptr === true || (unionMembers.test(message) && name === 'schema')
  return {
    n: field.n,
    t: field.t,
    ...(field.rep && { rep: true as const }),
    ...(field.map !== undefined && { map: true as const }),
    ...(field.inline && { inline: true as const }),
    ...(pointer && { ptr: true as const }),
    ...(field.omit && { omit: field.omit }),
    ...(definition?.required?.includes(name) && { required: true as const }),
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...(property?.['x-kubernetes-list-type'] && { list: property['x-kubernetes-list-type'] }),
    ...(property?.['x-kubernetes-list-map-keys'] && { keys: property['x-kubernetes-list-map-keys'] }),
    ...(property?.['x-kubernetes-map-type'] && { mapType: property['x-kubernetes-map-type'] }),
    ...(property?.['x-kubernetes-patch-strategy'] && { patch: property['x-kubernetes-patch-strategy'] }),
    ...(property?.['x-kubernetes-patch-merge-key'] && { mergeKey: property['x-kubernetes-patch-merge-key'] }),
    ...getGoNames(folder, message, name),
  }
}

/** Formats facts as JSON with one field per line, so that diffs are readable. */
export function formatFacts(facts: GroupVersionFacts): string {
  const { messages, ...head } = facts
  const lines = Object.entries(messages).map(([name, { fields, ...rest }]) => {
    const rows = Object.entries(fields).map(([field, row]) => `    ${JSON.stringify(field)}: ${JSON.stringify(row)}`)
    const flags = Object.entries(rest).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}, `)
    return `  ${JSON.stringify(name)}: { ${flags.join('')}"fields": {${rows.length > 0 ? `\n${rows.join(',\n')}\n  ` : ''}} }`
  })
  return `${JSON.stringify(head).slice(0, -1)}, "messages": {\n${lines.join(',\n')}\n} }\n`
}
