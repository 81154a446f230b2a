import type { KubeObject, Status } from '@keelson/apimachinery'
import { decodeStruct } from '@keelson/apimachinery'
import { encodeUnknown } from '@keelson/api'
import type { ObjectEvent } from '@keelson/storagebackend'
import { metaType } from '../meta-types.ts'
import type { Negotiated } from '../negotiate.ts'
import { asBuffer, ObjectEncoder, typedJson } from '../object-encoder.ts'
import { partialJson, partialProto } from '../partial-metadata.ts'
import { watchFrame } from '../proto-frames.ts'
import type { IncludeObject } from '../query-options.ts'
import { apiVersionOf } from '../scope.ts'
import type { ResourceScope } from '../scope.ts'
import { TableRows } from '../table.ts'
import { httpChunk } from './http-chunk.ts'
import { SharedFrames } from './shared-frames.ts'

type Change = Exclude<ObjectEvent, { type: 'BOOKMARK' }>
type Bookmark = Extract<ObjectEvent, { type: 'BOOKMARK' }>

/** How one watch's events look on the wire. */
export interface EventFramer {
  frame(event: ObjectEvent): Buffer
  /** All of them as one chunk of HTTP/1.1. */
  chunk(events: readonly ObjectEvent[]): Buffer
}

const sharedFrames = new SharedFrames(8 * 1024 * 1024)

export function createFramer(scope: ResourceScope, negotiated: Negotiated, include: IncludeObject): EventFramer {
  const { transform } = negotiated
  if (transform?.kind === 'Table') return new TableFramer(scope, transform.version, include)
  const make = transform === undefined ? wholeFrames(scope, negotiated) : partialFrames(negotiated, transform.version)
  const form = `${scope.apiVersion} ${negotiated.form} ${transform?.version ?? ''}`
  const chunkForm = `${form} chunk`
  const makeFrame = (event: ObjectEvent): Buffer =>
    event.type === 'BOOKMARK' ? make(event.type, bookmarkObject(scope, event)) : make(event.type, event.object)
  return {
    frame: (event) => (event.type === 'BOOKMARK' ? makeFrame(event) : sharedFrames.get([event], form, () => makeFrame(event))),
    chunk: (events) => sharedFrames.get(events, chunkForm, () => httpChunk(events.map(makeFrame))),
  }
}

type MakeFrame = (type: string, object: Change['object'] | KubeObject) => Buffer

function wholeFrames(scope: ResourceScope, { form }: Negotiated): MakeFrame {
  const encoder = new ObjectEncoder(scope, form, false)
  if (form === 'protobuf') return (type, object) => watchFrame(type, asBuffer(encodeUnknown(scope.gvk, encoder.message(object))))
  return (type, object) => jsonFrame(type, encoder.embedded(object))
}

function partialFrames({ form }: Negotiated, version: 'v1' | 'v1beta1'): MakeFrame {
  if (form === 'protobuf') return (type, object) => watchFrame(type, partialProto(object, version))
  return (type, object) => jsonFrame(type, partialJson(object, version))
}

const starts: Record<string, Buffer> = {}
const end = Buffer.from('}\n')

function jsonFrame(type: string, object: Buffer): Buffer {
  const start = (starts[type] ??= Buffer.from(`{"type":"${type}","object":`))
  return Buffer.concat([start, object, end], start.length + object.length + 2)
}

/** The columns are told once, so no two events of one watch are framed alike and nothing is shared. */
class TableFramer implements EventFramer {
  readonly #rows: TableRows
  readonly #scope: ResourceScope
  #told = false

  constructor(scope: ResourceScope, version: 'v1' | 'v1beta1', include: IncludeObject) {
    this.#rows = new TableRows(scope, version, include)
    this.#scope = scope
  }

  frame(event: ObjectEvent): Buffer {
    if (event.type === 'BOOKMARK') return this.#bookmark(event)
    const { type, object } = event
    return this.#frame(type, String(object.revision), this.#rows.row(object))
  }

  chunk(events: readonly ObjectEvent[]): Buffer {
    return httpChunk(events.map((event) => this.frame(event)))
  }

  #bookmark(event: Bookmark): Buffer {
    const object = bookmarkObject(this.#scope, event)
    const row = event.initialEventsEnd ? this.#rows.row(object, 'Metadata') : this.#rows.row(object)
    return this.#frame('BOOKMARK', String(event.revision), row)
  }

  #frame(type: string, resourceVersion: string, row: string): Buffer {
    const head = this.#rows.head({ resourceVersion }, !this.#told)
    this.#told = true
    return jsonFrame(type, Buffer.from(head + row + this.#rows.tail))
  }
}

/** An object of the watched kind that has only a version; what JSON always writes is there too. */
function bookmarkObject(scope: ResourceScope, { revision, initialEventsEnd }: Bookmark): KubeObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : undefined),
  }
  const object = scope.type === undefined ? { metadata } : decodeStruct<KubeObject>(scope.type.schema, { metadata }).object
  return { kind: scope.gvk.kind, apiVersion: apiVersionOf(scope.gvk), ...object }
}

/** The last event of a watch that cannot go on. */
export function errorFrame(status: Status, { form }: Negotiated): Buffer {
  const { kind: _, apiVersion: __, ...rest } = status
  const gvk = { group: '', version: 'v1', kind: 'Status' }
  if (form === 'protobuf') return watchFrame('ERROR', asBuffer(encodeUnknown(gvk, metaType('Status').encodeProto(rest))))
  return jsonFrame('ERROR', Buffer.from(typedJson(gvk, undefined, rest)))
}
