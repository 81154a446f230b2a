import type { IncomingMessage } from 'node:http'
import {
  newRequestEntityTooLarge,
  waitForNextTurn,
  waitForSharedTurn,
  newBadRequest,
  newInvalid,
  validateCreateOptions,
  validateDeleteOptions,
  validatePatchOptions,
  validateUpdateOptions,
  isApiError,
  getErrorMessage,
} from '@keelson/apimachinery'
import { ClientGoneError, parseLooseBoolean } from '@keelson/exchange'
import type { Exchange, QueryParameters } from '@keelson/exchange'
import { parseInAdvance, decodeDocument, formatNotRegistered } from '@keelson/registry'
import type { SentBody, WriteOptions } from '@keelson/registry'
import type { DeleteOptions, FieldErrorList, FieldValidation, GroupVersionKind, KubeObject, Span } from '@keelson/apimachinery'
import { isApply, negotiateInput } from '../negotiation/negotiate.ts'
import { findMetaType } from '../encoding/meta-types.ts'
import { encodeTypedJson } from '@keelson/registry'
import type { ServedResource } from '../routing/served-resource.ts'

/**
 * Reads the complete body of a request. Throws 413 as soon as the body exceeds `limit` bytes. Requests whose bodies complete in the same
 * event loop turn continue together (`waitForSharedTurn`).
 */
export async function readBody(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const announced = Number(exchange.getHeader('content-length') ?? 0)
  if (announced > limit) throw createTooLargeError(limit)
  const reading = readIncoming(exchange, limit)
  const body = await (exchange.span === undefined ? reading : recordRead(exchange.span, reading))
  exchange.observeBody?.(body)
  await (body.length > largeBytes ? turnOfLarge() : waitForSharedTurn())
  return body
}

/** Adds the end of reading a body to the step of the handler. */
async function recordRead(step: Span, reading: Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    const body = await reading
    step.addEvent('limitedReadBody succeeded', { len: body.length })
    return body
  } catch (error) {
    step.addEvent('limitedReadBody failed', { len: 0, err: getErrorMessage(error) })
    throw error
  }
}

/**
 * Returns the body of a request in the format that the registry decodes. Returns a promise for a long YAML text, because that is parsed in
 * advance.
 */
export function toSentBody(exchange: Exchange, { form, bytes }: Pick<SentBody, 'form' | 'bytes'>): SentBody | Promise<SentBody> {
  return parseInAdvance({ form, bytes, cbor: exchange.services.cbor }, exchange)
}

/** Size in bytes from which a body is large: it counts against the body budget and is processed in its own event loop turn. */
const largeBytes = 64 * 1024

let lastLarge: Promise<void> = Promise.resolve()

/**
 * Waits for an event loop turn in which no other large body is processed. Several large bodies in one turn would delay all other requests
 * for too long.
 */
function turnOfLarge(): Promise<void> {
  lastLarge = lastLarge.then(waitForNextTurn)
  return lastLarge
}

/** Reads the body by events. The async iterator would cost several promises per chunk and destroy the request on an early exit. */
function readIncoming(exchange: Exchange, limit: number): Promise<Uint8Array> {
  const incoming = exchange.incoming as IncomingMessage
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > limit) return fail(createTooLargeError(limit))
      chunks.push(chunk)
      if (length > largeBytes) reserve(chunk.length)
    }
    const reserve = (bytes: number): void => {
      const reservation = (exchange.bodyReservation ??= exchange.services.bodyBudget?.hold(exchange.user.name))
      const wait = reservation?.add(bytes)
      if (wait === undefined) return
      incoming.pause()
      void wait.then(() => incoming.resume())
    }
    const onEnd = (): void => {
      release()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
    }
    const fail = (error: unknown): void => {
      release()
      incoming.pause()
      reject(error)
    }
    const onClose = (): void => fail(new ClientGoneError())
    const release = (): void => {
      incoming.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose)
    }
    if (incoming.readableEnded) return resolve(new Uint8Array())
    incoming.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose)
    incoming.resume()
  })
}

function createTooLargeError(limit: number): Error {
  return newRequestEntityTooLarge(`limit is ${limit}`)
}

/**
 * Parses the query parameters of create, update and patch requests. Throws 422 for invalid values. `kind` is the kind that the error names.
 */
export function parseWriteOptions(
  query: QueryParameters,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  patchType = '',
): WriteOptions {
  const options = {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
    ...(query.has('force') ? { force: parseLooseBoolean(query.get('force')) } : undefined),
  }
  const errors =
    kind === 'PatchOptions'
      ? validatePatchOptions(options, isApply(patchType))
      : kind === 'UpdateOptions'
        ? validateUpdateOptions(options)
        : validateCreateOptions(options)
  throwInvalid(kind, errors)
  const { fieldManager } = options
  const fieldValidation = options.fieldValidation as FieldValidation | ''
  return {
    dryRun: options.dryRun.length > 0,
    fieldManager,
    force: options.force === true,
    fieldValidation: fieldValidation || 'Warn',
    ...(fieldValidation !== '' && { sentFieldValidation: fieldValidation }),
  }
}

/** Throws 422 with these errors in options of meta.k8s.io. Does nothing if there are none. */
export function throwInvalid(kind: string, errors: FieldErrorList): void {
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind }, '', errors)
}

/** Parses DeleteOptions from the query, which is used if a delete has no body. Throws 400 for invalid values. */
function parseDeleteOptions(query: QueryParameters): DeleteOptions {
  const options: DeleteOptions = {}
  const grace = query.get('gracePeriodSeconds')
  if (grace !== null) options.gracePeriodSeconds = parseInt64(grace)
  const orphan = query.get('orphanDependents')
  if (orphan !== null) options.orphanDependents = parseLooseBoolean(orphan)
  const policy = query.get('propagationPolicy')
  if (policy !== null) options.propagationPolicy = policy
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun')
  const uid = query.get('uid')
  const resourceVersion = query.get('resourceVersion')
  if (uid || resourceVersion)
    options.preconditions = { ...(uid ? { uid } : undefined), ...(resourceVersion ? { resourceVersion } : undefined) }
  return options
}

/** Throws 422 if delete options are invalid. */
function checkDeleteOptions(options: DeleteOptions): void {
  throwInvalid('DeleteOptions', validateDeleteOptions(options))
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export function parseIncludeObject(query: QueryParameters): IncludeObject {
  const value = query.get('includeObject') ?? ''
  if (value === '') return 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw newBadRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}

/**
 * Source position in kube-apiserver that appears in its error message for a body of another kind than DeleteOptions, and the other kinds of
 * meta/v1.
 */
const metaScheme = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27'
const metaKinds: ReadonlySet<string> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'CreateOptions',
  'PatchOptions',
  'UpdateOptions',
])

/** Reads DeleteOptions from the body, or from the query if there is no body. Throws 400, 413, 415 or 422. */
export async function readDeleteOptions(exchange: Exchange, served: ServedResource, query: QueryParameters): Promise<DeleteOptions> {
  const body = await readBody(exchange, served.settings.maxRequestBodyBytes)
  const hasBody = body.byteLength > 0
  const options = hasBody
    ? await decodeDeleteOptions(exchange, await toSentBody(exchange, { form: negotiateInput(exchange), bytes: body }))
    : parseDeleteOptions(query)
  if (hasBody) {
    exchange.span?.addEvent('Decoded delete options')
    exchange.span?.addEvent('Recorded the audit event')
  }
  delete options.ignoreStoreReadErrorWithClusterBreakingPotential
  checkDeleteOptions(options)
  return options
}

/** The version of DeleteOptions in audit events, whatever the client sent. kube-apiserver shows its internal version. */
const recordedOptions: GroupVersionKind = { group: 'meta.k8s.io', version: '__internal', kind: 'DeleteOptions' }

async function decodeDeleteOptions(exchange: Exchange, sent: SentBody): Promise<DeleteOptions> {
  const type = findMetaType('DeleteOptions')
  try {
    const document = await decodeDocument(sent, { group: '', version: 'v1', kind: 'DeleteOptions' })
    const { kind } = document.gvk
    if (kind !== 'DeleteOptions') {
      if (!metaKinds.has(kind)) throw newBadRequest(formatNotRegistered(document.gvk, metaScheme))
      // Decodes the body as the kind it names, because errors of that take precedence.
      document.decode(findMetaType(kind), 'Ignore')
      throw newBadRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`)
    }
    const { apiVersion: _, kind: __, ...options } = document.decode(type, 'Ignore').object as KubeObject & DeleteOptions
    exchange.recordObject?.({ metadata: undefined, encode: () => encodeTypedJson(recordedOptions, type, options) })
    return options
  } catch (error) {
    if (isApiError(error)) throw error
    throw newBadRequest(getErrorMessage(error))
  }
}

const limit = 2n ** 63n

/** Parses a query parameter that is a decimal int64. Throws 400 with Go's message. The result is clamped to safe integers. */
export function parseInt64(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  if (value >= limit || value < -limit) throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)))
}
