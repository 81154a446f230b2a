import { newNotAcceptable, newProtobufNotAcceptable, newUnsupportedMediaType, newGenericServerResponse } from '@keelson/apimachinery'
import { mediaTypeOf, mediaTypesOf } from '@keelson/exchange'
import type { AcceptClause, Exchange, QueryParameters } from '@keelson/exchange'
import { mergePatchTypes } from '@keelson/registry'
import type { ApiError } from '@keelson/apimachinery'

export type MediaForm = 'json' | 'yaml' | 'protobuf' | 'cbor'

export const mediaTypes: Readonly<Record<MediaForm, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
}
/** The media types that every server supports. */
export const usualMediaTypes: readonly string[] = [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf]
/** The media types of watch streams that every server supports. YAML has none, because it has no framing. */
export const usualStreams: readonly string[] = [`${mediaTypes.json};stream=watch`, `${mediaTypes.protobuf};stream=watch`]
export const cborStream = 'application/cbor-seq'

interface Forms {
  readonly forms: readonly MediaForm[]
  readonly mediaTypes: readonly string[]
  readonly streams: readonly string[]
  readonly negotiated: Readonly<Record<EndpointKind, Map<string, Negotiated | undefined>>>
}

const usual: Forms = {
  forms: ['json', 'yaml', 'protobuf'],
  mediaTypes: usualMediaTypes,
  streams: usualStreams,
  negotiated: { object: new Map(), untabled: new Map(), error: new Map() },
}
const withCbor: Forms = {
  forms: [...usual.forms, 'cbor'],
  mediaTypes: [...usualMediaTypes, mediaTypes.cbor],
  streams: [...usualStreams, cborStream],
  negotiated: { object: new Map(), untabled: new Map(), error: new Map() },
}

/** Returns the encodings that the server accepts and produces. */
export function formsOf(exchange: Exchange): Forms {
  return exchange.services.cbor === undefined ? usual : withCbor
}

type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
export interface Transform {
  readonly kind: TransformKind
  /** The version of meta.k8s.io. */
  readonly version: 'v1' | 'v1beta1'
}

/** The encoding and shape of a response. */
export interface Negotiated {
  readonly form: MediaForm
  /** Whether the media type itself requests indentation. */
  readonly pretty: boolean
  readonly transform: Transform | undefined
}

/** The kind of a response, by its allowed transformations: an object has all, an object without columns only metadata, an error none. */
export type EndpointKind = 'object' | 'untabled' | 'error'

/** Negotiates the encoding of the response: the first match in the Accept header's order of preference. Throws 406. */
export function negotiateOutput(exchange: Exchange, endpoint: EndpointKind): Negotiated {
  const found = tryNegotiate(exchange, endpoint)
  if (found === undefined) throw newNotAcceptable(formsOf(exchange).mediaTypes)
  requireEncoding(exchange, found)
  return found
}

/** The encoding and shape of an event stream. */
export interface NegotiatedStream extends Negotiated {
  readonly form: Exclude<MediaForm, 'yaml'>
}

/** Negotiates the encoding of an event stream, like `negotiateOutput`. */
export function negotiateStream(exchange: Exchange): NegotiatedStream {
  const found = tryNegotiate(exchange, 'object')
  if (found === undefined || !isStream(found)) throw newNotAcceptable(formsOf(exchange).streams)
  requireEncoding(exchange, found)
  return found
}

/** Throws 406 for protobuf of a kind that has only a JSON encoding. Its metadata alone can be encoded in protobuf. */
function requireEncoding({ route, info }: Exchange, { form, transform }: Negotiated): void {
  if (form !== 'protobuf' || transform !== undefined || route?.isJsonOnly !== true) return
  throw newProtobufNotAcceptable(info.verb === 'list')
}

function isStream(negotiated: Negotiated): negotiated is NegotiatedStream {
  return negotiated.form !== 'yaml'
}

const cacheSize = 256
const cachedHeaderLength = 512

/** Negotiates the encoding; undefined if there is none. Errors are never transformed, so a clause that requests a transformation is ignored for them. */
export function tryNegotiate(exchange: Exchange, endpoint: EndpointKind): Negotiated | undefined {
  const header = exchange.accept
  const { forms, negotiated } = formsOf(exchange)
  const cache = negotiated[endpoint]
  const known = cache.get(header)
  if (known !== undefined || cache.has(header)) return known
  const found = header === '' ? unspecified : negotiate(exchange.acceptClauses, forms, endpoint)
  // Clients send a handful of different headers. Headers beyond the cache are negotiated each time.
  if (cache.size < cacheSize && header.length <= cachedHeaderLength) cache.set(header, found)
  return found
}

/** The result for requests without an Accept header. */
const unspecified: Negotiated = { form: 'json', pretty: false, transform: undefined }

function negotiate(clauses: readonly AcceptClause[], forms: readonly MediaForm[], endpoint: EndpointKind): Negotiated | undefined {
  for (const clause of clauses) {
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
  if (as === 'Table' && (form === 'protobuf' || endpoint === 'untabled')) return undefined
  return { form, pretty: pretty === '1', transform: { kind: as, version: v } }
}

/** Returns the encoding of a request's body. Throws 415. */
export function negotiateInput(exchange: Exchange): MediaForm {
  const contentType = exchange.contentType
  if (contentType === undefined || contentType === '') return 'json'
  const bare = mediaTypeOf(contentType).toLowerCase()
  const { forms, mediaTypes: supported } = formsOf(exchange)
  const form = forms.find((candidate) => mediaTypes[candidate] === bare)
  if (form === undefined) throw newUnsupportedMediaType(supported)
  return form
}

/** Returns whether JSON is indented: by the `pretty` parameter, otherwise for curl, Wget and browsers. */
export function prefersPretty(query: QueryParameters, userAgent: string): boolean {
  const asked = query.get('pretty')
  if (asked) return /^(1|t|T|true|TRUE|True)$/.test(asked)
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0')
}

/** The media type of server-side apply, which also creates absent objects. */
const applyPatchType = 'application/apply-patch+yaml'
export const cborApplyPatchType = 'application/apply-patch+cbor'

/** The patch types that every server accepts. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

const strategicPatchType = 'application/strategic-merge-patch+json'

/** Returns the patch types that the server accepts. */
export function patchTypes({ services, route }: Exchange): readonly string[] {
  const types = services.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
  return route?.isJsonOnly === true ? withoutStrategic(types) : types
}

/** Removes strategic merge patch, for kinds that are JSON only: without a Go type there is no merge strategy. */
export function withoutStrategic(types: readonly string[]): readonly string[] {
  return types.filter((type) => type !== strategicPatchType)
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}

const nowhere = { group: '', resource: '' }

/**
 * Checks the Accept header like kube-apiserver's router, which runs before any handler: exact media types or `*` + `/*`, without parameters. Handlers negotiate
 * in more detail and with other messages. `first` has the handler's types in addition to the usual ones. Throws 406.
 */
export function checkAcceptable(exchange: Exchange, isList: boolean, first: readonly string[] = []): void {
  const { accept } = exchange
  if (accept === '') return
  const { mediaTypes: answers, streams } = formsOf(exchange)
  // The usual case needs no parsing.
  if (answers.includes(accept)) return
  for (const type of exchange.acceptedTypes) {
    if (type === '*/*' || answers.includes(type) || first.includes(type)) return
  }
  throw notAcceptable([...first, ...answers, ...(isList ? streams : [])])
}

/** Checks the Accept header for documents that are JSON only. Throws 406. */
export function checkTakesJson(exchange: Exchange): void {
  if (exchange.accept === '') return
  const takes = exchange.acceptedTypes.some((type) => type === '*/*' || type === mediaTypes.json)
  if (!takes) throw notAcceptable([mediaTypes.json])
}

function notAcceptable(available: readonly string[]): ApiError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, '', nowhere, '', { serverMessage })
}

/** Throws 415 unless one of the content types is among `consumable`. */
export function checkConsumable(contentType: string | undefined, consumable: readonly string[]): void {
  if (mediaTypesOf(contentType || 'application/octet-stream').some((type) => consumable.includes(type))) return
  throw newGenericServerResponse(415, '', nowhere, '', { serverMessage: '415: Unsupported Media Type' })
}
