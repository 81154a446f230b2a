import { newNotAcceptable, newUnsupportedMediaType, newGenericServerResponse } from '@keelson/apimachinery'
import { applyPatchType, parseMediaType, parseMediaTypes } from '@keelson/exchange'
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
/** Media types of requests and responses that every server supports. */
export const usualMediaTypes: readonly string[] = [mediaTypes.json, mediaTypes.yaml, mediaTypes.protobuf]
/**
 * Media types of watch streams that every server supports. YAML is missing, because a stream of YAML documents cannot be split into events.
 */
export const usualStreams: readonly string[] = [`${mediaTypes.json};stream=watch`, `${mediaTypes.protobuf};stream=watch`]
export const cborStream = 'application/cbor-seq'

interface Forms {
  readonly forms: readonly MediaForm[]
  readonly mediaTypes: readonly string[]
  readonly streams: readonly string[]
  readonly negotiated: Readonly<Record<EndpointKind, Map<string, Negotiated | undefined>>>
}

const usualForms: Forms = {
  forms: ['json', 'yaml', 'protobuf'],
  mediaTypes: usualMediaTypes,
  streams: usualStreams,
  negotiated: { object: new Map(), untabled: new Map(), error: new Map(), jsonOnly: new Map() },
}
const withCbor: Forms = {
  forms: [...usualForms.forms, 'cbor'],
  mediaTypes: [...usualMediaTypes, mediaTypes.cbor],
  streams: [...usualStreams, cborStream],
  negotiated: { object: new Map(), untabled: new Map(), error: new Map(), jsonOnly: new Map() },
}

/** Returns the encodings that the server accepts and sends. */
export function getForms(exchange: Exchange): Forms {
  return exchange.services.cbor === undefined ? usualForms : withCbor
}

type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
export interface Transform {
  readonly kind: TransformKind
  /** Version of meta.k8s.io in which the object is returned. */
  readonly version: 'v1' | 'v1beta1'
}

/** Encoding of a response, and its transformation to a Table or to PartialObjectMetadata. */
export interface Negotiated {
  readonly form: MediaForm
  /** True if the media type has the parameter `pretty=1`. */
  readonly pretty: boolean
  readonly transform: Transform | undefined
}

/**
 * Kind of a response, which determines the transformations that are allowed. An object allows all of them, an object without columns only
 * metadata, and an error none. An object that has only a JSON encoding (`jsonOnly`) allows protobuf only for its metadata.
 */
export type EndpointKind = 'object' | 'untabled' | 'error' | 'jsonOnly'

/**
 * Negotiates the encoding of a response: the first supported media type, in the client's order of preference. Throws 406 if none is
 * supported.
 */
export function negotiateOutput(exchange: Exchange, endpoint: EndpointKind): Negotiated {
  const negotiated = tryNegotiate(exchange, endpoint)
  if (negotiated === undefined) throw newNotAcceptable(getForms(exchange).mediaTypes)
  return negotiated
}

/** Encoding and transformation of the events of a watch. */
export interface NegotiatedStream extends Negotiated {
  readonly form: Exclude<MediaForm, 'yaml'>
}

/** Negotiates the encoding of a watch. Works like `negotiateOutput`. */
export function negotiateStream(exchange: Exchange, endpoint: EndpointKind): NegotiatedStream {
  const isJsonOnly = endpoint === 'jsonOnly'
  const negotiated = tryNegotiate(exchange, isJsonOnly ? endpoint : 'object')
  if (negotiated === undefined || !isStream(negotiated)) {
    const { mediaTypes: types, streams } = getForms(exchange)
    throw newNotAcceptable(negotiated === undefined && isJsonOnly ? types : streams)
  }
  return negotiated
}

function isStream(negotiated: Negotiated): negotiated is NegotiatedStream {
  return negotiated.form !== 'yaml'
}

const cacheSize = 256
const cachedHeaderLength = 512

/**
 * Negotiates the encoding of a response. Returns undefined if no media type is supported. Media types that request a transformation are
 * ignored for errors, which are never transformed.
 */
export function tryNegotiate(exchange: Exchange, endpoint: EndpointKind): Negotiated | undefined {
  const header = exchange.accept
  const { forms, negotiated } = getForms(exchange)
  const cache = negotiated[endpoint]
  const cached = cache.get(header)
  if (cached !== undefined || cache.has(header)) return cached
  const result = header === '' ? unspecified : negotiate(exchange.acceptClauses, forms, endpoint)
  // Caches results, because clients send few different headers. If the cache is full, other headers are negotiated each time.
  if (cache.size < cacheSize && header.length <= cachedHeaderLength) cache.set(header, result)
  return result
}

/** Encoding of responses to requests without an Accept header. */
const unspecified: Negotiated = { form: 'json', pretty: false, transform: undefined }

function negotiate(clauses: readonly AcceptClause[], forms: readonly MediaForm[], endpoint: EndpointKind): Negotiated | undefined {
  for (const clause of clauses) {
    for (const form of forms) {
      const [type, subtype] = mediaTypes[form].split('/') as [string, string]
      const matches =
        (clause.type === type && (clause.subtype === subtype || clause.subtype === '*')) || (clause.type === '*' && clause.subtype === '*')
      if (!matches) continue
      const negotiated = acceptClause(form, clause, endpoint)
      if (negotiated !== undefined) return negotiated
    }
  }
  return undefined
}

function acceptClause(form: MediaForm, clause: AcceptClause, endpoint: EndpointKind): Negotiated | undefined {
  const { as, g, v, stream, sv, pretty } = clause.parameters
  if (stream && (form === 'yaml' || stream !== 'watch')) return undefined
  if (sv && sv !== 'v1') return undefined
  if (as === undefined && g === undefined && v === undefined) {
    return endpoint === 'jsonOnly' && form === 'protobuf' ? undefined : { form, pretty: pretty === '1', transform: undefined }
  }
  if (endpoint === 'error' || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined
  if (as === 'Table' && (form === 'protobuf' || endpoint === 'untabled')) return undefined
  return { form, pretty: pretty === '1', transform: { kind: as, version: v } }
}

/** Returns the encoding of a request's body. Throws 415 for unsupported content types. */
export function negotiateInput(exchange: Exchange): MediaForm {
  const contentType = exchange.contentType
  if (contentType === undefined || contentType === '') return 'json'
  const bare = parseMediaType(contentType).toLowerCase()
  const { forms, mediaTypes: supported } = getForms(exchange)
  const form = forms.find((candidate) => mediaTypes[candidate] === bare)
  if (form === undefined) throw newUnsupportedMediaType(supported)
  return form
}

/** Returns whether JSON is indented. The query parameter `pretty` decides; without it, JSON is indented for curl, Wget and browsers. */
export function prefersPretty(query: QueryParameters, userAgent: string): boolean {
  const pretty = query.get('pretty')
  if (pretty) return /^(1|t|T|true|TRUE|True)$/.test(pretty)
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0')
}

export const cborApplyPatchType = 'application/apply-patch+cbor'

/** Patch types that every server accepts. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

const strategicPatchType = 'application/strategic-merge-patch+json'

/** Returns the patch types that the server accepts for the resource of a request. */
export function listPatchTypes({ services, route }: Exchange): readonly string[] {
  const types = services.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
  return route?.isJsonOnly === true ? withoutStrategic(types) : types
}

/** Removes strategic merge patch from the patch types. Kinds that exist only in JSON have no Go type, and therefore no merge strategy. */
export function withoutStrategic(types: readonly string[]): readonly string[] {
  return types.filter((type) => type !== strategicPatchType)
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}

const noResource = { group: '', resource: '' }

/**
 * Checks the Accept header as kube-apiserver's router does before a handler runs: it accepts exact media types or `*` + `/*`, without
 * parameters. Handlers negotiate in more detail and with other error messages. `first` has the media types of the handler in addition to
 * the usual ones. Throws 406.
 */
export function checkAcceptable(exchange: Exchange, isList: boolean, first: readonly string[] = []): void {
  const { accept } = exchange
  if (accept === '') return
  const { mediaTypes: types, streams } = getForms(exchange)
  // Avoids parsing in the usual case.
  if (types.includes(accept)) return
  for (const type of exchange.acceptedTypes) {
    if (type === '*/*' || types.includes(type) || first.includes(type)) return
  }
  throw createNotAcceptableError([...first, ...types, ...(isList ? streams : [])])
}

/** Throws 406 unless the Accept header allows JSON. */
export function checkTakesJson(exchange: Exchange): void {
  if (exchange.accept === '') return
  const takes = exchange.acceptedTypes.some((type) => type === '*/*' || type === mediaTypes.json)
  if (!takes) throw createNotAcceptableError([mediaTypes.json])
}

function createNotAcceptableError(available: readonly string[]): ApiError {
  const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`
  return newGenericServerResponse(406, '', noResource, '', { serverMessage })
}

/** Throws 415 unless one of the content types in the header is among `consumable`. */
export function checkConsumable(contentType: string | undefined, consumable: readonly string[]): void {
  if (parseMediaTypes(contentType || 'application/octet-stream').some((type) => consumable.includes(type))) return
  throw newGenericServerResponse(415, '', noResource, '', { serverMessage: '415: Unsupported Media Type' })
}
