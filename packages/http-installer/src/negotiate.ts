import { newNotAcceptable, newUnsupportedMediaType } from '@keelson/apimachinery'
import { parseAccept } from './accept.ts'
import type { AcceptClause } from './accept.ts'
import type { QueryParameters } from './request-target.ts'

export type MediaForm = 'json' | 'yaml' | 'protobuf'

export const mediaTypes: Readonly<Record<MediaForm, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
}
const forms: readonly MediaForm[] = ['json', 'yaml', 'protobuf']
const supported: readonly string[] = forms.map((form) => mediaTypes[form])
/** YAML has no framing. */
const supportedStreams: readonly string[] = ['json', 'protobuf'].map((form) => `${mediaTypes[form as MediaForm]};stream=watch`)

export type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
export interface Transform {
  readonly kind: TransformKind
  /** Of meta.k8s.io. */
  readonly version: 'v1' | 'v1beta1'
}

/** How an answer is written. */
export interface Negotiated {
  readonly form: MediaForm
  /** Asked for in the media type itself. */
  readonly pretty: boolean
  readonly transform: Transform | undefined
}

export type EndpointKind = 'object' | 'error'

/** What the request's `accept` allows, first match by its own order of preference. Throws 406. */
export function negotiateOutput(accept: string | undefined): Negotiated {
  const found = tryNegotiate(accept, 'object')
  if (found === undefined) throw newNotAcceptable(supported)
  return found
}

/** How an event stream is written. */
export interface NegotiatedStream extends Negotiated {
  readonly form: 'json' | 'protobuf'
}

/** As `negotiateOutput`, for an event stream. */
export function negotiateStream(accept: string | undefined): NegotiatedStream {
  const found = tryNegotiate(accept, 'object')
  if (found === undefined || !isStream(found)) throw newNotAcceptable(supportedStreams)
  return found
}

function isStream(negotiated: Negotiated): negotiated is NegotiatedStream {
  return negotiated.form !== 'yaml'
}

const cacheSize = 256
const cachedHeaderLength = 512
const caches: Readonly<Record<EndpointKind, Map<string, Negotiated | undefined>>> = { object: new Map(), error: new Map() }

/** Errors are never transformed: a clause that asks for it is passed over. */
export function tryNegotiate(accept: string | undefined, endpoint: EndpointKind): Negotiated | undefined {
  const header = accept ?? ''
  const cache = caches[endpoint]
  if (cache.has(header)) return cache.get(header)
  const found = negotiate(header, endpoint)
  // Clients send a handful of different headers; what does not fit is negotiated anew.
  if (cache.size < cacheSize && header.length <= cachedHeaderLength) cache.set(header, found)
  return found
}

function negotiate(header: string, endpoint: EndpointKind): Negotiated | undefined {
  if (header === '') return { form: 'json', pretty: false, transform: undefined }
  for (const clause of parseAccept(header)) {
    for (const form of forms) {
      const [type, subtype] = mediaTypes[form].split('/') as [string, string]
      const matches =
        (clause.type === type && (clause.subtype === subtype || clause.subtype === '*')) || (clause.type === '*' && clause.subtype === '*')
      if (!matches) continue
      const negotiated = accepted(form, clause, endpoint)
      if (negotiated !== undefined) return negotiated
    }
  }
  return undefined
}

function accepted(form: MediaForm, clause: AcceptClause, endpoint: EndpointKind): Negotiated | undefined {
  const { as, g, v, stream, sv, pretty } = clause.parameters
  if (stream && (form === 'yaml' || stream !== 'watch')) return undefined
  if (sv && sv !== 'v1') return undefined
  if (as === undefined && g === undefined && v === undefined) return { form, pretty: pretty === '1', transform: undefined }
  if (endpoint === 'error' || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined
  if (as === 'Table' && form === 'protobuf') return undefined
  return { form, pretty: pretty === '1', transform: { kind: as, version: v } }
}

/** The form of a request's body. Throws 415. */
export function negotiateInput(contentType: string | undefined): MediaForm {
  if (contentType === undefined || contentType === '') return 'json'
  const semicolon = contentType.indexOf(';')
  const bare = (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase()
  const form = forms.find((candidate) => mediaTypes[candidate] === bare)
  if (form === undefined) throw newUnsupportedMediaType(supported)
  return form
}

/** By the `pretty` parameter, else for clients behind which a person sits. */
export function prefersPretty(query: QueryParameters, userAgent: string): boolean {
  const asked = query.get('pretty')
  if (asked) return /^(1|t|T|true|TRUE|True)$/.test(asked)
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0')
}
