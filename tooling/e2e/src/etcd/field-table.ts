import protobuf from 'protobufjs'

interface FieldFacts {
  readonly n: number
  readonly t: string
  readonly rep?: boolean
  readonly map?: string
  readonly json?: string
  readonly ptr?: boolean
  readonly omit?: 'empty' | 'zero'
  readonly inline?: boolean
}
type MessageFacts = Readonly<Record<string, FieldFacts>>
export type FieldTable = Readonly<Record<string, Readonly<Record<string, MessageFacts>>>>
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type JsonRecord = Record<string, Json>

const meta = 'k8s.io.apimachinery.pkg.apis.meta.v1'
const scalars = new Set(['string', 'bool', 'bytes', 'int32', 'int64', 'double'])
const zeroTime = '0001-01-01T00:00:00Z'

/**
 * Decodes stored protobuf to JSON with the recorded facts about fields. Shares no code and no tables with the generated codecs, so that
 * tests can verify the output of the codecs with it.
 */
export class FieldTableReader {
  readonly #root = new protobuf.Root()
  readonly #facts = new Map<string, MessageFacts>()
  readonly #special: Readonly<Record<string, (message: protobuf.Message) => Json>> = {
    [`.${meta}.Time`]: (message) => readTime(message, 0),
    [`.${meta}.MicroTime`]: (message) => readTime(message, 6),
    [`.${meta}.FieldsV1`]: (message) => readRawBytes(message, 'Raw'),
    '.k8s.io.apimachinery.pkg.runtime.RawExtension': (message) => readRawBytes(message, 'raw'),
    '.k8s.io.apimachinery.pkg.api.resource.Quantity': (message) => (readOwnField(message, 'string') as string | undefined) ?? '0',
    '.k8s.io.apimachinery.pkg.util.intstr.IntOrString': (message) =>
      Number(readOwnField(message, 'type') ?? 0) === 0
        ? Number(readOwnField(message, 'intVal') ?? 0)
        : ((readOwnField(message, 'strVal') as string | undefined) ?? ''),
  }

  constructor(table: FieldTable) {
    for (const [namespace, messages] of Object.entries(table)) {
      const place = this.#root.define(namespace)
      for (const [name, facts] of Object.entries(messages)) {
        const type = new protobuf.Type(name)
        this.#facts.set(`.${namespace}.${name}`, facts)
        for (const [field, fact] of Object.entries(facts)) {
          if (field === '$list') continue
          const of = scalars.has(fact.t) ? fact.t : fact.t.includes('.') ? `.${fact.t}` : `.${namespace}.${fact.t}`
          if (fact.map === undefined) type.add(new protobuf.Field(field, fact.n, of, fact.rep ? 'repeated' : 'optional'))
          else type.add(new protobuf.MapField(field, fact.n, fact.map, of))
        }
        place.add(type)
      }
    }
  }

  /** Decodes a stored value to JSON, including `kind` and `apiVersion`. */
  read(value: Uint8Array): JsonRecord {
    const bytes = Buffer.from(value)
    if (bytes.subarray(0, 4).toString('latin1') !== 'k8s\0')
      throw new Error('the value does not start with the protobuf prefix of Kubernetes')
    const envelope = this.#root.lookupType('.k8s.io.apimachinery.pkg.runtime.Unknown').decode(bytes.subarray(4))
    const head = readOwnField(envelope, 'typeMeta') as protobuf.Message
    const apiVersion = String(readOwnField(head, 'apiVersion'))
    const kind = String(readOwnField(head, 'kind'))
    const message = this.#root.lookupType(`.${getPackage(apiVersion, this.#facts, kind)}.${kind}`)
    return { kind, apiVersion, ...(this.#message(message, message.decode(readOwnField(envelope, 'raw') as Uint8Array)) as JsonRecord) }
  }

  #message(type: protobuf.Type, message: protobuf.Message): Json {
    const special = this.#special[type.fullName]
    if (special) return special(message)
    const facts = this.#facts.get(type.fullName)!
    if ('$list' in facts) return this.#value(type.fields['items']!, readOwnField(message, 'items') ?? [])
    const json: JsonRecord = {}
    for (const [name, fact] of Object.entries(facts)) {
      const held = readOwnField(message, name)
      // Treats an empty list or map as absent, because protobuf does not distinguish them.
      const value = (fact.rep || fact.map !== undefined) && Object.keys(held ?? {}).length === 0 ? undefined : held
      const field = type.fields[name]!.resolve()
      if (fact.inline) {
        if (value !== undefined) Object.assign(json, this.#message(field.resolvedType as protobuf.Type, value as protobuf.Message))
        continue
      }
      const shown = value === undefined ? null : this.#value(field, value)
      if (!isOmitted(fact, value, shown)) json[fact.json ?? name] = shown === zeroTime ? null : shown
    }
    return json
  }

  #value(field: protobuf.Field, value: unknown): Json {
    field.resolve()
    if (field.repeated) return (value as unknown[]).map((each) => this.#single(field, each))
    if (!field.map) return this.#single(field, value)
    return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, this.#single(field, each)]))
  }

  #single(field: protobuf.Field, value: unknown): Json {
    if (field.resolvedType instanceof protobuf.Type) return this.#message(field.resolvedType, value as protobuf.Message)
    if (field.type === 'bytes') return Buffer.from(value as Uint8Array).toString('base64')
    return field.type === 'int64' ? Number(value) : (value as Json)
  }
}

/**
 * Returns whether Go's JSON encoder omits a field. It omits absent values. With `omitempty`, it also omits empty values that are not
 * pointers.
 */
function isOmitted(fact: FieldFacts, value: unknown, shown: Json): boolean {
  if (fact.omit === undefined) return false
  if (value === undefined) return true
  if (shown === zeroTime) return fact.omit === 'zero'
  if (fact.ptr) return false
  if (fact.omit === 'zero' && typeof shown === 'object') return Object.keys(shown ?? {}).length === 0
  return shown === '' || shown === 0 || shown === false
}

/**
 * Returns the protobuf package of a kind. The name of the package contains the first label of the group: "apps/v1" is in
 * k8s.io.api.apps.v1.
 */
function getPackage(apiVersion: string, facts: ReadonlyMap<string, MessageFacts>, kind: string): string {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['core', apiVersion]
  const packageName = `k8s.io.api.${group.split('.')[0]}.${version}`
  if (!facts.has(`.${packageName}.${kind}`)) throw new Error(`no facts about ${apiVersion} ${kind}`)
  return packageName
}

function readOwnField(message: protobuf.Message, name: string): unknown {
  return Object.hasOwn(message, name) ? (message as unknown as Record<string, unknown>)[name] : undefined
}

function readTime(message: protobuf.Message, digits: number): Json {
  const seconds = readOwnField(message, 'seconds')
  if (seconds === undefined) return zeroTime
  const fraction =
    digits === 0
      ? ''
      : `.${String(Number(readOwnField(message, 'nanos') ?? 0))
          .padStart(9, '0')
          .slice(0, digits)}`
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction}Z`
}

function readRawBytes(message: protobuf.Message, name: string): Json {
  const bytes = readOwnField(message, name) as Uint8Array | undefined
  return bytes === undefined || bytes.length === 0 ? null : (JSON.parse(Buffer.from(bytes).toString()) as Json)
}
