import type { FieldFacts } from './fact-types.ts'
import { emitUnionCodec } from './emit-unions.ts'
import { scalarTypes } from './emit-types.ts'
import type { Model, Module, TypeRef } from './model.ts'
import type { Usage } from './usage.ts'
import { banner, isListKind, isUnion, formatMember, getRelativeModule } from './model.ts'

interface Field {
  readonly name: string
  readonly facts: FieldFacts
  readonly type: TypeRef
}

const wireTypes: Readonly<Record<string, number>> = { bool: 0, int32: 0, int64: 0, double: 1 }
const writers: Readonly<Record<string, string>> = { string: 'str', int32: 'int', int64: 'int', rawExtension: 'json', fieldsV1: 'json' }
const readers: Readonly<Record<string, string>> = { string: 'str', int64: 'int', bytes: 'base64', rawExtension: 'json' }
const zeros: Readonly<Record<string, string>> = { string: "''", bool: 'false', int32: '0', int64: '0', double: '0' }
/** JSON of the zero value, by type, for scalars that are structs in Go. */
const structZeros: Readonly<Record<string, string>> = { quantity: "'0'", intOrString: '0', duration: "'0s'" }

function computeTag(field: Field): number {
  const wireType = field.facts.map || field.type.kind !== 'scalar' ? 2 : (wireTypes[field.type.scalar] ?? 2)
  return field.facts.n * 8 + wireType
}

/** Generates `codec.ts` of one group version. It contains a read and a write function per message. */
export function emitCodec(model: Model, usage: Usage, module: Module): string {
  const imports = new Set<Module>()
  const bodies: string[] = []
  for (const [name, message] of Object.entries(module.facts.messages)) {
    if (message.bareList || !usage.isReached(module, name)) continue
    const prefix = usage.isExported(module, name) ? 'export ' : ''
    if (isUnion(name)) {
      bodies.push(emitUnionCodec(name).replaceAll(/^function/gm, `${prefix}function`))
      continue
    }
    const fields = Object.entries(message.fields).map(([field, facts]): Field => ({
      name: field,
      facts,
      type: model.resolveType(module, facts),
    }))
    for (const { type } of fields) if (type.kind === 'message' && type.module !== module) imports.add(type.module)
    bodies.push(prefix + emitWriter(module, name, fields), prefix + emitReader(module, name, fields, isListKind(name, message)))
  }
  const body = bodies.join('\n')
  const json = ['JsonObject', 'JsonValue'].filter((type) => new RegExp(`\\b${type}\\b`).test(body))
  return [
    banner,
    json.length > 0 ? `import type { ${json.join(', ')} } from '@keelson/apimachinery'\n` : '',
    `import type { ProtoReader } from '../../../proto/proto-reader.ts'\n`,
    `import type { ProtoWriter } from '../../../proto/proto-writer.ts'\n`,
    ...[...imports].map((other) => `import * as ${other.ident} from '${getRelativeModule(module, other, 'codec.ts')}'\n`),
    ...[...imports].map((other) => `import type * as ${other.ident}Types from '${getRelativeModule(module, other, 'types.ts')}'\n`),
    `import type * as types from './types.ts'\n\n`,
    body,
  ].join('')
}

function call(module: Module, type: TypeRef & { kind: 'message' }, verb: 'read' | 'write'): string {
  return `${type.module === module ? '' : `${type.module.ident}.`}${verb}${type.name}`
}

function formatType(module: Module, type: TypeRef): string {
  if (type.kind === 'scalar') return scalarTypes[type.scalar]!
  if (type.kind === 'bareList') return 'string[]'
  return `${type.module === module ? 'types' : `${type.module.ident}Types`}.${type.name}`
}

function emitWriter(module: Module, name: string, fields: readonly Field[]): string {
  const falling = fields.toSorted((a, b) => b.facts.n - a.facts.n)
  const lines = falling.map((field) => `  ${writeField(module, field)}\n`)
  const used = lines.length > 0
  const needsMark = lines.some((line) => /(?<!const )m = w\.mark\(\)/.test(line))
  return `function write${name}(${used ? 'w' : '_w'}: ProtoWriter, ${used ? 'o' : '_o'}: types.${name}): void {\n${needsMark ? '  let m\n' : ''}${lines.join('')}}\n`
}

function writeField(module: Module, field: Field): string {
  const { facts, type } = field
  const tag = computeTag(field)
  const value = formatMember('o', field.name)
  if (facts.map) return writeMap(module, type, value, tag)
  if (facts.rep) {
    if (type.kind === 'scalar') {
      const list = { string: 'strs', bool: 'bools', int32: 'ints', int64: 'ints' }[type.scalar]
      if (list !== undefined) return `w.${list}(${value}, ${tag})`
      return `if (${value}) for (let l = ${value}, i = l.length; i-- > 0; ) w.${writers[type.scalar] ?? type.scalar}(l[i]!, ${tag})`
    }
    if (type.kind === 'message') {
      const item = `l[i] ?? ({} as ${formatType(module, type)})`
      return `if (${value}) for (let l = ${value}, i = l.length; i-- > 0; ) { m = w.mark(); ${call(module, type, 'write')}(w, ${item}); w.close(m, ${tag}) }`
    }
    throw new Error(`${field.name}: unsupported list type`)
  }
  if (type.kind === 'bareList') return `w.bareListPtr(${value}, ${tag})`
  if (type.kind === 'scalar') {
    const method = writers[type.scalar] ?? type.scalar
    const pointer = facts.ptr || type.scalar === 'bytes'
    return `w.${method}${pointer ? 'Ptr' : ''}(${value}, ${tag})`
  }
  const write = call(module, type, 'write')
  if (facts.inline) return `m = w.mark(); ${write}(w, o); w.close(m, ${tag})`
  if (facts.ptr) return `if (${value} != null) { m = w.mark(); ${write}(w, ${value}); w.close(m, ${tag}) }`
  return `m = w.mark(); ${write}(w, ${value} ?? ({} as ${formatType(module, type)})); w.close(m, ${tag})`
}

function writeMap(module: Module, type: TypeRef, value: string, tag: number): string {
  if (type.kind === 'scalar' && type.scalar === 'string') return `w.strMap(${value}, ${tag})`
  if (type.kind === 'message')
    return `w.map(${value}, ${tag}, (w, v, t) => { const m = w.mark(); ${call(module, type, 'write')}(w, v ?? ({} as ${formatType(module, type)})); w.close(m, t) })`
  const method = type.kind === 'bareList' ? 'bareList' : type.scalar === 'bytes' ? 'bytesPtr' : (writers[type.scalar] ?? type.scalar)
  return `w.map(${value}, ${tag}, (w, v, t) => w.${method}(v, t))`
}

function emitReader(module: Module, name: string, fields: readonly Field[], listKind: boolean): string {
  const locals = fields.map((field) => `  let ${formatLocal(field)}${formatInitial(module, field)}\n`)
  const cases = fields.flatMap((field) => readCases(module, field))
  const builds = fields.map((field) => `  ${build(module, field, listKind)}\n`)
  const loop =
    cases.length === 0
      ? '  while (r.pos < end) r.skipField(r.tag())\n'
      : `  while (r.pos < end) {\n    const t = r.tag()\n    switch (t) {\n${cases.map((line) => `      ${line}\n`).join('')}      default: r.skipUnknown(t, ${formatKnownNumbers(fields)})\n    }\n  }\n`
  return `function read${name}(r: ProtoReader, end: number): types.${name} {\n${locals.join('')}${loop}  r.leave(end)\n  const o = {} as types.${name}\n${builds.join('')}  return o\n}\n`
}

/**
 * Returns the known field numbers below 64 as two bit sets. A reader uses them to distinguish a known field with the wrong wire type from
 * an unknown field.
 */
function formatKnownNumbers(fields: readonly Field[]): string {
  const sets = [0, 0]
  for (const { facts } of fields) if (facts.n < 64) sets[facts.n >>> 5]! |= 1 << (facts.n & 31)
  return sets[1] === 0 ? String(sets[0]) : sets.join(', ')
}

function formatLocal(field: Field): string {
  return `f${field.facts.n}`
}

function formatZero(field: Field): string | undefined {
  const { facts, type } = field
  return facts.map || facts.rep || facts.ptr || type.kind !== 'scalar' ? undefined : zeros[type.scalar]
}

function formatInitial(module: Module, field: Field): string {
  const { facts, type } = field
  const zero = formatZero(field)
  if (zero !== undefined) return ` = ${zero}`
  const name = formatType(module, type)
  const full = facts.map ? `Record<string, ${name}>` : facts.rep ? (name.includes(' ') ? `(${name})[]` : `${name}[]`) : name
  return `: ${full} | undefined`
}

function readCases(module: Module, field: Field): string[] {
  const { facts, type } = field
  const tag = computeTag(field)
  const variable = formatLocal(field)
  if (facts.map) return [`case ${tag}: ${variable} = ${readEntry(module, type, variable)}; break`]
  const value =
    type.kind === 'message'
      ? `${call(module, type, 'read')}(r, r.open())`
      : type.kind === 'bareList'
        ? 'r.strings()'
        : `r.${readers[type.scalar] ?? type.scalar}()`
  if (!facts.rep) return [`case ${tag}: ${variable} = ${value}; break`]
  const cases = [`case ${tag}: (${variable} ??= []).push(${value}); break`]
  const packed = type.kind === 'scalar' ? { bool: 'packedBools', int32: 'packedInt32s', int64: 'packedInts' }[type.scalar] : undefined
  if (packed !== undefined) cases.push(`case ${facts.n * 8 + 2}: r.${packed}((${variable} ??= [])); break`)
  return cases
}

function readEntry(module: Module, type: TypeRef, variable: string): string {
  if (type.kind === 'scalar' && type.scalar === 'string') return `r.stringEntry(${variable})`
  if (type.kind === 'message') return `r.entry(${variable}, (r, none) => ${call(module, type, 'read')}(r, none ? r.here() : r.open()))`
  if (type.kind === 'bareList') return `r.entry(${variable}, (r, none) => none ? [] : r.strings())`
  const zero = type.scalar === 'bytes' ? "''" : (structZeros[type.scalar] ?? 'null as never')
  return `r.entry(${variable}, (r, none) => none ? ${zero} : r.${readers[type.scalar] ?? type.scalar}())`
}

function build(module: Module, field: Field, listKind: boolean): string {
  const { facts, type } = field
  const variable = formatLocal(field)
  const target = formatMember('o', field.name)
  const zero = formatZero(field)
  if (zero !== undefined) {
    if (facts.omit === undefined) return `${target} = ${variable}`
    return type.kind === 'scalar' && type.scalar === 'bool'
      ? `if (${variable}) ${target} = true`
      : `if (${variable} !== ${zero}) ${target} = ${variable}`
  }
  const never = `${variable} !== undefined`
  if (facts.rep || facts.map || facts.ptr || type.kind === 'bareList') {
    if (facts.omit !== undefined) return `if (${never}) ${target} = ${variable}`
    return `${target} = ${variable} ?? ${listKind && field.name === 'items' ? '[]' : 'null'}`
  }
  if (type.kind === 'message') {
    const readValue = `${variable} ?? ${call(module, type, 'read')}(r, r.here())`
    if (facts.inline) return `Object.assign(o, ${readValue})`
    if (facts.omit === 'zero') return `if (${never}) ${target} = ${variable}`
    return `${target} = ${readValue}`
  }
  if (type.scalar === 'bytes')
    return facts.omit === undefined ? `${target} = ${variable} ?? null` : `if (${variable}) ${target} = ${variable}`
  if (facts.omit === 'zero') return `if (${variable} != null) ${target} = ${variable}`
  return `${target} = ${variable} ?? ${structZeros[type.scalar] ?? 'null'}`
}
