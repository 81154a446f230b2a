import type { FieldFacts, MessageFacts } from './fact-types.ts'
import type { Model, Module, TypeRef } from './model.ts'
import { banner, isListKind, isUnion, formatPropertyKey, getRelativeModule } from './model.ts'

/** Types that @keelson/apimachinery declares by hand. The generated code re-exports these types. */
const handWritten: ReadonlySet<string> = new Set(
  'DeleteOptions LabelSelector LabelSelectorRequirement ListMeta ManagedFieldsEntry ObjectMeta OwnerReference Preconditions ShardInfo Status StatusCause StatusDetails TypeMeta'.split(
    ' ',
  ),
)

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  rawExtension: 'JsonValue',
  unknown: 'JsonValue',
  fieldsV1: 'JsonObject',
  json: 'JsonValue',
}

/** Generates `types.ts`, the interfaces of one group version. */
export function emitTypes(model: Model, module: Module): string {
  const imports = new Set<Module>()
  const shared = new Set<string>()
  const isMeta = module.folder === 'meta/v1'
  const bodies: string[] = []
  for (const [name, message] of Object.entries(module.facts.messages)) {
    if (isMeta && handWritten.has(name)) continue
    bodies.push(formatMessageType(model, module, name, message, imports, shared))
  }
  const body = bodies.join('\n')
  for (const name of ['JsonObject', 'JsonValue']) if (new RegExp(`\\b${name}\\b`).test(body)) shared.add(name)
  if (isMeta) for (const name of handWritten) if (new RegExp(`\\b${name}\\b`).test(body)) shared.add(name)
  const names = [...shared].toSorted().join(', ')
  return [
    banner,
    names === '' ? '' : `import type { ${names} } from '@keelson/apimachinery'\n`,
    ...[...imports].map((other) => `import type * as ${other.ident} from '${getRelativeModule(module, other, 'types.ts')}'\n`),
    isMeta ? `export type { ${[...handWritten].toSorted().join(', ')} } from '@keelson/apimachinery'\n` : '',
    '\n',
    body,
  ].join('')
}

function formatMessageType(
  model: Model,
  module: Module,
  name: string,
  message: MessageFacts,
  imports: Set<Module>,
  shared: Set<string>,
): string {
  const refer = (type: TypeRef): string => {
    if (type.kind === 'scalar') return scalarTypes[type.scalar]!
    if (type.kind === 'bareList') return 'string[]'
    if (type.module === module) return type.name
    imports.add(type.module)
    return `${type.module.ident}.${type.name}`
  }
  if (message.bareList) return `export type ${name} = string[]\n`
  if (isUnion(name))
    return `export type ${name} = JSONSchemaProps | ${{ Array: 'JSONSchemaProps[]', Bool: 'boolean', StringArray: 'string[]' }[name.slice(17)]!}\n`
  const bases: string[] = []
  const lines: string[] = []
  if (message.kind === true) {
    bases.push('TypeMeta')
    shared.add('TypeMeta')
  }
  for (const [fieldName, field] of Object.entries(message.fields)) {
    const type = model.resolveType(module, field)
    if (field.inline) bases.push(refer(type))
    else {
      const optional = field.omit !== undefined && !(message.kind && fieldName === 'metadata')
      lines.push(
        `  ${formatPropertyKey(fieldName)}${optional ? '?' : ''}: ${formatFieldType(refer(type), type, field, isListKind(name, message) && fieldName === 'items')}\n`,
      )
    }
  }
  const head = `export interface ${name}${bases.length > 0 ? ` extends ${bases.join(', ')}` : ''}`
  return `${head} {${lines.length > 0 ? `\n${lines.join('')}` : ''}}\n`
}

function formatFieldType(type: string, ref: TypeRef, field: FieldFacts, neverNull: boolean): string {
  const full = field.map ? `Record<string, ${type}>` : field.rep ? (type.includes(' ') ? `(${type})[]` : `${type}[]`) : type
  return full !== 'JsonValue' && !neverNull && mayBeNull(ref, field) ? `${full} | null` : full
}

/** Returns whether kube-apiserver may write null for a field. It does so for a nil value without `omitempty`, and for the zero time. */
function mayBeNull(ref: TypeRef, field: FieldFacts): boolean {
  if (field.omit === 'zero') return false
  const time = ref.kind === 'scalar' && (ref.scalar === 'time' || ref.scalar === 'microTime')
  if (time && !field.ptr && !field.rep && !field.map) return true
  if (field.omit !== undefined) return false
  return (
    field.ptr === true ||
    field.rep === true ||
    field.map === true ||
    ref.kind === 'bareList' ||
    (ref.kind === 'scalar' && ref.scalar === 'bytes')
  )
}

export { scalarTypes }
