import { DecodeContext, acquireMembers, releaseMembers, markEmpty } from './decode-context.ts'
import type { DecodeOptions, Decoded, FieldStep, Members } from './decode-context.ts'
import { createScalarDecoder, scalarZero } from './decode-scalar.ts'
import type { Decoder } from './decode-scalar.ts'
import { unionDecoder } from './decode-schema-props.ts'
import { goTypeName } from './type-schema.ts'
import { JsonDocument, parseJson } from './json-document.ts'
import type { ParsedJson } from './json-document.ts'
import { JsonError } from './json-error.ts'
import { NumberLiteral, ObjectWithDuplicates, createObjectFromEntries } from './json-reader.ts'
import { setOwn } from './set-own.ts'
import type { JsonObject, JsonValue } from './meta.ts'
import { UndecodedObject } from './undecoded-object.ts'
import type { FieldSchema, ListSchema, MapSchema, StructSchema, TypeSchema } from './type-schema.ts'

/** Decodes JSON text to a canonical object of the schema. Throws `JsonError` with kube-apiserver's message. */
export function decodeJson<T = JsonObject>(schema: StructSchema, input: Uint8Array | string, options: DecodeOptions = {}): Decoded<T> {
  return decodeStruct<T>(schema, parseJson(input), { ...options, owned: true })
}

/**
 * Converts a JSON value to the canonical form of its type. Fields are in schema order. Unknown fields are dropped. Null and empty fields are
 * written as in kube-apiserver. Returns a new object, which shares opaque values (`rawExtension`, `json`) with the input. With `owned`, it shares
 * all unchanged values.
 *
 * Pass the result of `parseJson` rather than its value, because only the result contains number literals and duplicate keys.
 */
export function decodeStruct<T = JsonObject>(schema: StructSchema, input: JsonValue | ParsedJson, options: DecodeOptions = {}): Decoded<T> {
  const plan = findPlan(schema)
  return decodeWith((value, context) => decodeValue(plan, value, context, options.keepTypeMeta !== true), input, options) as Decoded<T>
}

/** Decodes a document whose outermost value is a list. */
export function decodeList(schema: ListSchema, input: JsonValue | ParsedJson, options: DecodeOptions = {}): Decoded<JsonValue[] | null> {
  return decodeWith(findDecoder(schema), input, options) as Decoded<JsonValue[] | null>
}

/**
 * Converts an object that is nearly canonical, such as a decoded object after changes, to canonical form. The result shares unchanged values with
 * the input. If nothing changes, the result is the input itself.
 */
export function canonicalizeStruct<T extends object>(schema: StructSchema, object: T): T {
  const plan = findPlan(schema)
  const context = new DecodeContext({ reuse: true })
  return finishDecoding(() => decodeValue(plan, object, context, true), context) as T
}

function decodeWith(decode: Decoder, input: JsonValue | ParsedJson, options: DecodeOptions): Decoded<unknown> {
  const { strict, keepEmptyLists = false, converting = false } = options
  const value = input instanceof JsonDocument ? input.exactValue : input
  // `exactValue` can contain markers, which must not become part of the result. Values are reused only if there are no markers.
  const reuse = options.owned === true && (!(input instanceof JsonDocument) || value === input.value)
  const context = new DecodeContext({ strict: strict === 'Strict' || strict === 'Warn', keepEmptyLists, converting, reuse })
  let object: unknown
  try {
    object = finishDecoding(() => decode(value, context), context)
  } catch (error) {
    if (!converting) throw error
    // The converter reads members in schema order. The type mismatch that it reports can therefore be another one.
    const inOrder = new DecodeContext({ keepEmptyLists, converting, inOrder: true })
    object = finishDecoding(() => decode(value, inOrder), inOrder)
  }
  // The converter sorts its strict errors by name.
  const strictErrors = converting ? context.strictErrors.toSorted() : context.strictErrors
  return { object, strictErrors, emptied: context.emptied }
}

function finishDecoding(decode: () => unknown, context: DecodeContext): unknown {
  let object: unknown
  try {
    object = decode()
  } catch (e) {
    if (e instanceof RangeError) throw new JsonError('exceeded max depth', { cause: e })
    throw e
  }
  if (context.saved !== undefined) throw new JsonError(context.saved)
  return object
}

interface FieldPlan {
  readonly step: FieldStep
  readonly slot: number
  readonly name: string
  readonly decode: Decoder
  /** JavaScript type of the field's values, if all values of that type are canonical; otherwise undefined. */
  readonly plain: 'string' | 'boolean' | undefined
  /** True if null counts as an absent field. */
  readonly nullable: boolean
  /** True if the field is omitted when its value is zero. */
  readonly dropsZero: boolean
  readonly dropsZeroStruct: boolean
  readonly isCollection: boolean
  /** Returns the value to write for an absent field. Undefined if nothing is written. */
  readonly absent: ((context: DecodeContext) => unknown) | undefined
  readonly typeMeta: boolean
}

interface StructPlan {
  readonly goType: string
  readonly keepsUnknown: boolean
  readonly fields: readonly FieldPlan[]
  /** Fields that are always written, even if they are absent. */
  readonly written: readonly FieldPlan[]
  readonly byName: ReadonlyMap<string, FieldPlan>
}

const plans = new WeakMap<StructSchema, StructPlan>()

function findPlan(schema: StructSchema): StructPlan {
  let plan = plans.get(schema)
  if (plan === undefined) {
    const fields = schema.fields.map((field) => ({ field, typeMeta: isTypeMeta(field) }))
    // Every outermost type has `apiVersion` and `kind`, so the schema tables do not list them.
    for (const name of ['apiVersion', 'kind']) {
      if (!schema.byName.has(name) && schema.gvk !== undefined)
        fields.unshift({ field: { name, type: { kind: 'string' }, omit: 'empty', embedded: ['TypeMeta'] }, typeMeta: true })
    }
    const planned = fields.map(({ field, typeMeta }, slot) => planField(schema, field, slot, typeMeta))
    plan = {
      goType: goTypeName(schema),
      keepsUnknown: schema.keepsUnknown === true,
      fields: planned,
      written: planned.filter((field) => field.absent !== undefined),
      byName: new Map(planned.map((field) => [field.name, field])),
    }
    plans.set(schema, plan)
  }
  return plan
}

/** Returns whether kube-apiserver decodes the field by itself. It does so with the metadata of objects whose other members have no Go types. */
function isDecodedAlone({ keepsUnknown, gvk }: StructSchema, { name }: FieldSchema): boolean {
  return keepsUnknown === true && gvk !== undefined && name === 'metadata'
}

function isTypeMeta(field: FieldSchema): boolean {
  return (field.name === 'kind' || field.name === 'apiVersion') && field.type.kind === 'string'
}

function planField(owner: StructSchema, field: FieldSchema, slot: number, typeMeta: boolean): FieldPlan {
  const { type } = field
  const pointer = field.pointer === true
  const container = type.kind === 'list' || type.kind === 'map'
  // In Go, omitempty has no effect on structs. Some scalars, such as times and quantities, are Go structs.
  const goStruct = !container && (type.kind === 'struct' || structScalars.has(type.kind))
  const drops = field.omit === 'zero' || (field.omit === 'empty' && !goStruct)
  const createZero = (): unknown => (type.kind === 'struct' ? undefined : container ? null : scalarZero[type.kind])
  const writesAbsent = pointer ? field.omit === undefined : !drops
  return {
    step: { owner: owner.name, field, ...(isDecodedAlone(owner, field) && { isDecodedAlone: true }) },
    slot,
    name: field.name,
    decode: findDecoder(type),
    plain: type.kind === 'string' ? 'string' : type.kind === 'bool' ? 'boolean' : undefined,
    nullable: pointer || container || (type.kind === 'struct' && drops),
    dropsZero: !pointer && drops && type.kind !== 'struct',
    dropsZeroStruct: !pointer && field.omit === 'zero' && type.kind === 'struct',
    isCollection: container,
    absent: !writesAbsent
      ? undefined
      : pointer
        ? () => null
        : type.kind === 'struct'
          ? (context) => createZeroStruct(type, context)
          : createZero,
    typeMeta,
  }
}

const structScalars: ReadonlySet<string> = new Set([
  'quantity',
  'intOrString',
  'time',
  'microTime',
  'duration',
  'rawExtension',
  'fieldsV1',
  'json',
])

function createZeroStruct(schema: StructSchema, context: DecodeContext): unknown {
  return unionDecoder(schema, findDecoder) !== undefined ? null : decodeMembers(findPlan(schema), {}, context, false)
}

const decoders = new WeakMap<TypeSchema, Decoder>()

/** Returns the decoder of a schema node, which is compiled once. Structs compile their fields on first use, because types may be recursive. */
function findDecoder(schema: TypeSchema): Decoder {
  let decoder = decoders.get(schema)
  if (decoder === undefined) {
    decoder = compile(schema)
    decoders.set(schema, decoder)
  }
  return decoder
}

function compile(schema: TypeSchema): Decoder {
  switch (schema.kind) {
    case 'struct': {
      const custom = unionDecoder(schema, findDecoder)
      if (custom !== undefined) return custom
      let plan: StructPlan | undefined
      return (value, context) =>
        value instanceof UndecodedObject ? value : decodeValue((plan ??= findPlan(schema)), value, context, false)
    }
    case 'list':
      return listDecoder(schema)
    case 'map':
      return mapDecoder(schema)
    default:
      return createScalarDecoder(schema.kind, goTypeName(schema))
  }
}

function listDecoder(schema: ListSchema): Decoder {
  const goType = goTypeName(schema)
  const decode = findDecoder(schema.items)
  const keepsNull = schema.pointerItems === true
  return (value, context) => {
    if (!Array.isArray(value)) {
      if (value !== null) context.recordMismatch(value, goType, 'slice')
      return null
    }
    if (value.length === 0) {
      if (context.keepEmptyLists) return []
      context.emptied = true
      return null
    }
    const { steps } = context
    let list: unknown[] | undefined = context.reuse ? undefined : []
    for (let i = 0; i < value.length; i++) {
      steps.push(i)
      const item = value[i] as unknown
      const decoded = item === null && keepsNull ? null : decode(item, context)
      if (decoded !== item) list ??= value.slice(0, i)
      list?.push(decoded)
      steps.pop()
    }
    return list ?? value
  }
}

function mapDecoder(schema: MapSchema): Decoder {
  const goType = goTypeName(schema)
  const decode = findDecoder(schema.values)
  const nullValue = schema.values.kind === 'bytes' ? '' : null
  /** Strings are always canonical, so maps of strings need no check of their values. */
  const hasStringValues = schema.values.kind === 'string'
  return (value, context) => {
    if (!isObject(value)) {
      if (value !== null) context.recordMismatch(value, goType, 'map')
      return null
    }
    if (value instanceof ObjectWithDuplicates) noteDuplicates(value, context)
    const { steps } = context
    const source = value instanceof ObjectWithDuplicates ? createObjectFromEntries(value.entries) : value
    let map: { [key: string]: unknown } | undefined = context.reuse ? undefined : {}
    let last: string | undefined
    let sorted = true
    for (const key in source) {
      if (last !== undefined && key < last) sorted = false
      last = key
      const member = source[key]
      let decoded = member
      if (!hasStringValues || typeof member !== 'string') {
        steps.push(key)
        decoded = decode(member, context) ?? nullValue
        steps.pop()
      }
      if (decoded !== member) map ??= listEntriesBefore(source, key)
      if (map !== undefined) setOwn(map, key, decoded)
    }
    if (last === undefined) {
      if (!context.emptied) context.emptied = steps.some((step) => typeof step === 'number')
      return null
    }
    return sorted ? (map ?? source) : sortKeys(map ?? source)
  }
}

function listEntriesBefore(source: JsonMembers, key: string): { [key: string]: unknown } {
  const map: { [key: string]: unknown } = {}
  for (const earlier in source) {
    if (earlier === key) break
    setOwn(map, earlier, source[earlier])
  }
  return map
}

function noteDuplicates(value: ObjectWithDuplicates, context: DecodeContext): void {
  const visited = new Set<string>()
  for (const [key] of value.entries) {
    if (visited.has(key)) context.strictError('duplicate field', key)
    visited.add(key)
  }
}

/** Returns the map with its keys sorted by their UTF-8 bytes, like Go. */
function sortKeys(map: JsonMembers): { [key: string]: unknown } {
  const sorted: { [key: string]: unknown } = {}
  for (const key of Object.keys(map).sort()) setOwn(sorted, key, map[key])
  return sorted
}

/** Maximum number of steps from the root to a struct. Only schemas of custom resources come near it. Decoding fills the stack from about 700 on. */
const maxSteps = 400

function decodeValue(plan: StructPlan, value: unknown, context: DecodeContext, dropTypeMeta: boolean): unknown {
  if (context.steps.length > maxSteps) throw new JsonError('exceeded max depth')
  if (isObject(value)) return decodeMembers(plan, value, context, dropTypeMeta)
  if (value !== null) context.recordMismatch(value, plan.goType, 'struct')
  return decodeMembers(plan, {}, context, dropTypeMeta)
}

type JsonMembers = { readonly [key: string]: unknown }

function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)
}

/**
 * Decodes the members of a struct. Reads them in document order, so that the first type mismatch is the one that kube-apiserver reports. Writes
 * them in schema order.
 */
function decodeMembers(plan: StructPlan, value: JsonMembers, context: DecodeContext, dropTypeMeta: boolean): JsonObject {
  if (plan.keepsUnknown) return decodeOpenMembers(plan, value, context, dropTypeMeta)
  return decodeFields(plan, value, context, dropTypeMeta)
}

function decodeFields(plan: StructPlan, value: JsonMembers, context: DecodeContext, dropTypeMeta: boolean): JsonObject {
  if (context.reuse) return reuseMembers(plan, value, context, dropTypeMeta)
  const members = acquireMembers()
  if (context.inOrder) {
    for (const { name } of plan.fields) if (Object.hasOwn(value, name)) readMember(plan, name, value[name], context, members)
  } else if (value instanceof ObjectWithDuplicates) readRepeated(plan, value, context, members)
  else for (const key in value) readMember(plan, key, value[key], context, members)
  return writeFields(plan, members, context, dropTypeMeta)
}

const decodeUnknown = findDecoder({ kind: 'json' })

/** Decodes a struct that keeps unknown members. Writes known members first, then the unknown ones. */
function decodeOpenMembers(plan: StructPlan, value: JsonMembers, context: DecodeContext, dropTypeMeta: boolean): JsonObject {
  const repeated = value instanceof ObjectWithDuplicates ? value.entries : undefined
  const source: JsonMembers = repeated === undefined ? value : createObjectFromEntries(repeated)
  const knownMembers: { [key: string]: unknown } = {}
  const unknown: string[] = []
  for (const key in source) {
    if (plan.byName.has(key)) setOwn(knownMembers, key, source[key])
    else unknown.push(key)
  }
  if (repeated !== undefined) {
    const visited = new Set<string>()
    for (const [key] of repeated) {
      if (visited.has(key)) context.strictError('duplicate field', key)
      visited.add(key)
    }
  }
  const decoded = decodeFields(plan, knownMembers, context, dropTypeMeta) as { [key: string]: unknown }
  for (const key of unknown.sort()) {
    context.steps.push(key)
    setOwn(decoded, key, decodeUnknown(source[key], context))
    context.steps.pop()
  }
  return decoded as JsonObject
}

function readMember(plan: StructPlan, key: string, member: unknown, context: DecodeContext, members: Members): void {
  const field = plan.byName.get(key)
  if (field === undefined) {
    if (context.strict) context.strictError('unknown field', key)
  } else if (member === null && field.nullable) members.forget(field.slot)
  else {
    context.steps.push(field.step)
    members.keep(field.slot, field.decode(member, context))
    context.steps.pop()
  }
}

/** Decodes the members of a struct whose input is mostly canonical. Returns `value` itself if all members are canonical and in schema order. */
function reuseMembers(plan: StructPlan, value: JsonMembers, context: DecodeContext, dropTypeMeta: boolean): JsonObject {
  const { byName, written } = plan
  let members: Members | undefined
  let last = -1
  let due = 0
  for (const key in value) {
    const field = byName.get(key)
    const member = value[key]
    const inPlace =
      members === undefined &&
      field !== undefined &&
      field.slot > last &&
      (due === written.length || written[due]!.slot >= field.slot) &&
      !(member === null && field.nullable) &&
      !(dropTypeMeta && field.typeMeta)
    if (!inPlace) {
      members ??= readMembersBefore(plan, value, key)
      readMember(plan, key, member, context, members)
      continue
    }
    let decoded = member
    if (field.plain === undefined || typeof member !== field.plain) {
      context.steps.push(field.step)
      decoded = field.decode(member, context)
      context.steps.pop()
    }
    if (decoded !== member || isDropped(field, decoded)) {
      members = readMembersBefore(plan, value, key)
      members.keep(field.slot, decoded)
    }
    last = field.slot
    if (due < written.length && written[due]!.slot === last) due++
  }
  if (members === undefined && due === written.length) return value as JsonObject
  return writeFields(plan, members ?? readMembersBefore(plan, value, undefined), context, dropTypeMeta)
}

/** Collects the members before `key`, which are already canonical. */
function readMembersBefore(plan: StructPlan, value: JsonMembers, key: string | undefined): Members {
  const members = acquireMembers()
  for (const earlier in value) {
    if (earlier === key) break
    members.keep(plan.byName.get(earlier)!.slot, value[earlier])
  }
  return members
}

function readRepeated(plan: StructPlan, value: ObjectWithDuplicates, context: DecodeContext, members: Members): void {
  const visited = new Set<string>()
  for (const [key, member] of value.entries) {
    if (visited.has(key) && plan.byName.has(key)) context.strictError('duplicate field', key)
    visited.add(key)
    readMember(plan, key, member, context, members)
  }
}

function writeFields(plan: StructPlan, members: Members, context: DecodeContext, dropTypeMeta: boolean): JsonObject {
  const object: { [key: string]: unknown } = {}
  const { fields, written } = plan
  const { slots, values, count } = members
  let due = 0
  for (let i = 0; i < count; i++) {
    const slot = slots[i]!
    for (; due < written.length && written[due]!.slot < slot; due++) writeAbsent(object, written[due]!, context)
    if (due < written.length && written[due]!.slot === slot) due++
    const field = fields[slot]!
    const value = values[i]
    if (dropTypeMeta && field.typeMeta) continue
    const drops = isDropped(field, value)
    if (!drops) object[field.name] = value
    if (field.isCollection && (drops || value === null)) markEmpty(object, field.name)
  }
  for (; due < written.length; due++) writeAbsent(object, written[due]!, context)
  releaseMembers(members)
  return object as JsonObject
}

function isDropped(field: FieldPlan, value: unknown): boolean {
  return field.dropsZero ? isZero(value) : field.dropsZeroStruct && isZeroStruct(value)
}

function writeAbsent(object: { [key: string]: unknown }, field: FieldPlan, context: DecodeContext): void {
  object[field.name] = field.absent!(context)
}

function isZero(value: unknown): boolean {
  return value === '' || value === null || value === 0 || value === false || (Array.isArray(value) && value.length === 0)
}

function isZeroStruct(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((member) => isZero(member) || isZeroStruct(member))
}
