import type { KubeObject, Status, TypeSchema } from '@keelson/apimachinery'
import { parseJson } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import type { ObjectEvent } from '@keelson/storagebackend'
import { createBlankObject } from '../encoding/rest-result.ts'
import type { CborCodec } from '@keelson/exchange'
import { encodePiece, surroundPiece } from '../encoding/json-piece.ts'
import type { JsonPiece } from '../encoding/json-piece.ts'
import { findMetaType } from '../encoding/meta-types.ts'
import type { NegotiatedStream } from '../negotiation/negotiate.ts'
import { encodeTypedJson } from '@keelson/registry'
import { wrapInBuffer, ObjectEncoder } from '../encoding/object-encoder.ts'
import { createPartialForm, encodePartialJson, encodePartialProto } from '../encoding/partial-metadata.ts'
import type { PartialForm } from '../encoding/partial-metadata.ts'
import { watchFrame } from '../encoding/proto-frames.ts'
import type { IncludeObject } from '../handlers/read-request.ts'
import type { ServedResource } from '../routing/served-resource.ts'
import { TableRows } from '../encoding/table.ts'

type Change = Exclude<ObjectEvent, { type: 'BOOKMARK' }>
type Bookmark = Extract<ObjectEvent, { type: 'BOOKMARK' }>

/** Encodes the events of one watch. */
export interface EventFramer {
  encodeEvent(event: ObjectEvent): Buffer
  /** Encodes several events as one HTTP/1.1 chunk. */
  encodeChunk(events: readonly ObjectEvent[]): Buffer
}

/**
 * Cache of encoded events, which watches with the same encoding share. Watches that keep up need the same events at about the same time, so
 * only the newest ones are kept. A slow watch encodes its events itself.
 */
export class SharedFrames {
  readonly #budget: number
  readonly #cachedFrames = new Map<object, Map<string, Kept>>()
  #bytes = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** Returns the encoded bytes of events. If they are not cached, `make` encodes them. `form` identifies the encoding. */
  get(events: readonly object[], form: string, make: () => Buffer): Buffer {
    const last = events.at(-1)!
    const forms = this.#cachedFrames.get(last)
    const cached = forms?.get(form)
    if (cached !== undefined && haveSameEvents(cached.events, events)) return cached.bytes
    const bytes = make()
    if (cached !== undefined || bytes.length > this.#budget) return bytes
    const frame = { events, bytes }
    if (forms === undefined) this.#cachedFrames.set(last, new Map([[form, frame]]))
    else forms.set(form, frame)
    this.#bytes += bytes.length
    this.#forget(last)
    return bytes
  }

  #forget(newest: object): void {
    for (const [event, forms] of this.#cachedFrames) {
      if (this.#bytes <= this.#budget || event === newest) return
      for (const { bytes } of forms.values()) this.#bytes -= bytes.length
      this.#cachedFrames.delete(event)
    }
  }
}

interface Kept {
  readonly events: readonly object[]
  readonly bytes: Buffer
}

/** Compares all events. Watches with other selectors may have the same last event but other events before it. */
function haveSameEvents(a: readonly object[], b: readonly object[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const sharedFrames = new SharedFrames(8 * 1024 * 1024)

interface FramerOptions {
  /** Which part of each object the rows of a table contain. */
  readonly include: IncludeObject
  readonly cbor: CborCodec | undefined
}

export function createFramer(served: ServedResource, negotiated: NegotiatedStream, { include, cbor }: FramerOptions): EventFramer {
  const { transform } = negotiated
  if (transform?.kind === 'Table') return new TableFramer(served, transform.version, include, createEmbeddedFrames(negotiated, cbor))
  const embed = createEmbeddedFrames(negotiated, cbor, transform === undefined ? served.type?.schema : undefined)
  const encodeEvent =
    transform === undefined
      ? createWholeFrames(served, negotiated, embed)
      : createPartialFrames(negotiated, createPartialForm(served, transform), embed)
  const form = `${served.apiVersion} ${negotiated.form} ${transform?.version ?? ''}`
  const chunkForm = `${form} chunk`
  const makeFrame = (event: ObjectEvent): Buffer =>
    event.type === 'BOOKMARK' ? encodeEvent(event.type, createBookmarkObject(served, event)) : encodeEvent(event.type, event.object)
  return {
    encodeEvent: (event) => (event.type === 'BOOKMARK' ? makeFrame(event) : sharedFrames.get([event], form, () => makeFrame(event))),
    encodeChunk: (events) => sharedFrames.get(events, chunkForm, () => encodeHttpChunk(events.map(makeFrame))),
  }
}

type MakeFrame = (type: string, object: Change['object'] | KubeObject) => Buffer

function createWholeFrames(served: ServedResource, { form }: NegotiatedStream, embed: EmbedJson): MakeFrame {
  const encoder = new ObjectEncoder(served, form === 'protobuf' ? form : 'json', false)
  if (form === 'protobuf') return (type, object) => watchFrame(type, wrapInBuffer(encodeUnknown(served.gvk, encoder.message(object))))
  return (type, object) => embed(type, encoder.embedded(object))
}

function createPartialFrames({ form }: NegotiatedStream, partial: PartialForm, embed: EmbedJson): MakeFrame {
  if (form === 'protobuf') return (type, object) => watchFrame(type, encodePartialProto(object, partial))
  return (type, object) => embed(type, encodePartialJson(object, partial))
}

/** Encodes an event that contains the JSON of an object. */
type EmbedJson = (type: string, object: Buffer) => Buffer

function createEmbeddedFrames({ form }: NegotiatedStream, cbor: CborCodec | undefined, schema?: TypeSchema): EmbedJson {
  if (form !== 'cbor' || cbor === undefined) return encodeJsonFrame
  return (type, object) => encodeCborFrame(cbor, type, cbor.encodeCborDocument(parseJson(object).value, schema))
}

/** Encodes an event as a CBOR document that contains the CBOR of the object. Events follow each other without a separator. */
function encodeCborFrame({ encodeCbor, mapHead, selfDescribed }: CborCodec, type: string, object: Buffer): Buffer {
  return Buffer.concat([selfDescribed, mapHead(2), ...['type', type, 'object'].map((text) => encodeCbor(text)), object])
}

const starts: Record<string, Buffer> = {}
const end = Buffer.from('}\n')

function encodeJsonFrame(type: string, object: Buffer): Buffer {
  const start = (starts[type] ??= Buffer.from(`{"type":"${type}","object":`))
  return Buffer.concat([start, object, end], start.length + object.length + 2)
}

/** Encodes events as tables. Only the first event has column definitions, so the bytes differ between watches and cannot be shared. */
class TableFramer implements EventFramer {
  readonly #rows: TableRows
  readonly #served: ServedResource
  readonly #include: IncludeObject
  readonly #embed: EmbedJson
  #hasReported = false

  constructor(served: ServedResource, version: 'v1' | 'v1beta1', include: IncludeObject, embed: EmbedJson) {
    this.#rows = new TableRows(served, version, include)
    this.#served = served
    this.#include = include
    this.#embed = embed
  }

  encodeEvent(event: ObjectEvent): Buffer {
    if (event.type === 'BOOKMARK') return this.#createBookmark(event)
    const { type, object } = event
    return this.#createFrame(type, String(object.revision), this.#rows.row(object))
  }

  encodeChunk(events: readonly ObjectEvent[]): Buffer {
    return encodeHttpChunk(events.map((event) => this.encodeEvent(event)))
  }

  #createBookmark(event: Bookmark): Buffer {
    const object = createBookmarkObject(this.#served, event)
    // Includes the metadata, which has the annotation that marks the end of the initial events.
    const include = event.initialEventsEnd && this.#include === 'None' ? 'Metadata' : this.#include
    const row = this.#rows.row(object, include)
    return this.#createFrame('BOOKMARK', String(event.revision), row)
  }

  #createFrame(type: string, resourceVersion: string, row: JsonPiece): Buffer {
    const head = this.#rows.head({ resourceVersion }, !this.#hasReported)
    this.#hasReported = true
    return this.#embed(type, encodePiece(surroundPiece(head, row, this.#rows.tail)))
  }
}

/** Returns the object of a bookmark event: an object of the watched kind that has only a resourceVersion. */
function createBookmarkObject(served: ServedResource, { revision, initialEventsEnd }: Bookmark): KubeObject {
  return createBlankObject(served, {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : undefined),
  })
}

/** Encodes the error event that ends a failed watch. */
export function encodeErrorFrame(status: Status, negotiated: NegotiatedStream, cbor: CborCodec | undefined): Buffer {
  const { kind: _, apiVersion: __, ...otherMembers } = status
  const gvk = { group: '', version: 'v1', kind: 'Status' }
  if (negotiated.form === 'protobuf')
    return watchFrame('ERROR', wrapInBuffer(encodeUnknown(gvk, findMetaType('Status').encodeProto(otherMembers))))
  return createEmbeddedFrames(negotiated, cbor)('ERROR', Buffer.from(encodeTypedJson(gvk, undefined, otherMembers)))
}

const lineEnd = Buffer.from('\r\n')

/** Encodes bytes as one chunk of HTTP/1.1's chunked transfer encoding. */
export function encodeHttpChunk(pieces: readonly Buffer[]): Buffer {
  let length = 0
  for (const piece of pieces) length += piece.length
  return Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`, 'latin1'), ...pieces, lineEnd])
}

/** Returns the number of bytes in a chunk of HTTP/1.1's chunked transfer encoding. */
export function countChunkPayload(chunk: Buffer): number {
  return chunk.length - chunk.indexOf(lineEnd) - 2 * lineEnd.length
}
