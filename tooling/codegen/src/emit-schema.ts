import type { FieldFacts, MessageFacts } from './fact-types.ts'
import { metaGroupKinds } from './kinds.ts'
import type { Model, Module } from './model.ts'
import { banner, formatPropertyKey, getRelativeModule } from './model.ts'

/**
 * The schema table of one group version, `schema.ts`. One string per message, expanded on first use by `schema-table.ts` of @keelson/api:
 *
 *     PodSpec: 'volumes=[]Volume? list:map keys:name patch:merge,retainKeys mergeKey:name;…'
 *
 * Fields in JSON order, separated by `;`. After the name: `[]` list, `{}` map, the type, then flags `?` omitted when empty, `~` when zero,
 * `*` absent and zero differ, `!` required, `^` inlined; then attributes. A first item `@…` marks a kind (`@v1`: of group version
 * v1; a `-` after it: without kind and apiVersion in JSON),
 * `#atomic` a map type.
 */
export function emitSchema(model: Model, module: Module): string {
  const imports = new Set<Module>()
  const lines = Object.entries(module.facts.messages)
    .filter(([, message]) => !message.bareList)
    .map(([name, message]) => `  ${formatPropertyKey(name)}: ${quoteText(formatMessageLine(model, module, name, message, imports))},\n`)
  const used = [...imports]
  return [
    banner,
    `import { schemaTable } from '../../../schema/schema-table.ts'\n`,
    `import type { SchemaTable } from '../../../schema/schema-table.ts'\n`,
    ...used.map((other) => `import { ${other.ident}Schema } from '${getRelativeModule(module, other, 'schema.ts')}'\n`),
    `\nexport const ${module.ident}Schema: SchemaTable = schemaTable('${module.facts.definition}', { group: '${module.facts.group}', version: '${module.facts.version}' }, {\n`,
    ...lines,
    `}${used.length > 0 ? `, { ${used.map((other) => `${other.ident}: ${other.ident}Schema`).join(', ')} }` : ''})\n`,
  ].join('')
}

function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function formatMessageLine(model: Model, module: Module, name: string, message: MessageFacts, imports: Set<Module>): string {
  const items: string[] = []
  if (message.kind)
    items.push(`@${module.folder === 'meta/v1' && !metaGroupKinds.has(name) ? 'v1' : ''}${message.kind === 'bare' ? '-' : ''}`)
  if (message.mapType) items.push(`#${message.mapType}`)
  for (const [fieldName, field] of Object.entries(message.fields)) items.push(formatFieldItem(model, module, fieldName, field, imports))
  return items.join(';')
}

function formatFieldItem(model: Model, module: Module, name: string, field: FieldFacts, imports: Set<Module>): string {
  const type = model.resolveType(module, field)
  let typeText = type.kind === 'scalar' ? type.scalar : type.kind === 'bareList' ? '[]string' : type.name
  if (typeText === 'unknown') typeText = 'rawExtension'
  if (type.kind === 'message' && type.module !== module) {
    imports.add(type.module)
    typeText = `${type.module.ident}.${type.name}`
  }
  const shape = field.map ? '{}' : field.rep ? '[]' : ''
  const flags = `${field.omit === 'empty' ? '?' : field.omit === 'zero' ? '~' : ''}${field.ptr ? '*' : ''}${field.required ? '!' : ''}${field.inline ? '^' : ''}`
  const attributes = [
    field.list && `list:${field.list}`,
    field.keys && `keys:${field.keys.join(',')}`,
    field.mapType && `map:${field.mapType}`,
    field.patch && `patch:${field.patch}`,
    field.mergeKey && `mergeKey:${field.mergeKey}`,
    field.goField && `goField:${field.goField}`,
    field.go && `go:${field.go}`,
    field.goWhole && `goWhole:${field.goWhole}`,
    field.goInner && `goInner:${field.goInner}`,
    field.default !== undefined && `default:${JSON.stringify(field.default)}`,
  ].filter((attribute) => typeof attribute === 'string')
  return [`${name}=${shape}${typeText}${flags}`, ...attributes].join(' ')
}
