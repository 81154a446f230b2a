import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import {
  appendAll,
  formatGroupVersion,
  groupVersionKindString,
  isJsonObject,
  newUid,
  pauseIfLong,
  stringifyJson,
} from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, JsonValue, KubeObject, Span } from '@keelson/apimachinery'
import { buildServiceUrl, findAnswerError, formatJsonTypeProblem } from '@keelson/outbound'
import type { ClientTarget, Dialer, OutboundClient } from '@keelson/outbound'
import type { ConversionFailureType, ConversionMetrics } from './conversion-metrics.ts'
import { decodeReview, encodeReview, selectReviewVersion } from './conversion-review.ts'
import type { ReviewRequest, ReviewVersion } from './conversion-review.ts'
import { findChangedIdentity, restoreMetadata, readText } from './converted-metadata.ts'
import type { ConversionCaller, ConversionInput, Converted, ObjectConverter } from './object-converter.ts'

export interface WebhookConverterOptions {
  /** The definition, whose conversion strategy is Webhook. */
  readonly definition: DeepReadonly<CustomResourceDefinition>
  readonly dialer: Dialer
  readonly metrics?: ConversionMetrics | undefined
  /** The timeout of a call in milliseconds. Default: 30,000, as in kube-apiserver. */
  readonly timeoutMs?: number
}

/** The maximum number of objects in one call. */
const maxBatchObjects = 100
/** The size at which a batch is full, in bytes of JSON. It bounds the time of parsing the response. One object may be larger. */
const maxBatchBytes = 256 * 1024
/** A response may be this many times as large as its request, plus `responseBytes`. A larger response is an error. */
const responseFactor = 4
const responseBytes = 512 * 1024
/** Time in milliseconds from which a call is in the log of slow requests: a part for the call, and one for each object. */
const slowCallMs = 50
const slowObjectMs = 8

/**
 * Converts custom objects with the webhook of their definition. kube-apiserver sends one object in each call. This converter sends several
 * if a list needs them. If the webhook fails for a batch, it sends each object alone, as kube-apiserver does.
 */
export class WebhookConverter implements ObjectConverter, Disposable {
  readonly #definition: { readonly name: string; readonly group: string; readonly kind: string }
  readonly #review: ReviewVersion | undefined
  readonly #createClient: () => OutboundClient
  readonly #path: string
  readonly #metrics: ConversionMetrics | undefined
  readonly #timeoutMs: number
  /** The client, unless no call is running after the converter was disposed. */
  #client: OutboundClient | undefined
  #running = 0
  #isDisposed = false

  constructor({ definition, dialer, metrics, timeoutMs = 30_000 }: WebhookConverterOptions) {
    const { spec } = definition
    this.#definition = { name: definition.metadata.name ?? '', group: spec.group, kind: spec.names.kind }
    this.#review = selectReviewVersion(spec.conversion?.webhook?.conversionReviewVersions ?? [])
    const target = readTarget(definition)
    this.#createClient = () => dialer.client(target)
    this.#path = `${new URL(target.url).pathname}?timeout=${timeoutMs / 1000}s`
    this.#metrics = metrics
    this.#timeoutMs = timeoutMs
  }

  async convert(objects: readonly ConversionInput[], to: string, caller: ConversionCaller | undefined): Promise<readonly Converted[]> {
    const converted: Converted[] = []
    for (const batch of splitIntoBatches(objects)) {
      caller?.signal?.throwIfAborted()
      const result = await this.#convertBatch(batch, to, caller)
      appendAll(converted, result)
      // Without this, a list would wait for a timeout once for each batch.
      if (result.every((each) => each instanceof Error)) break
    }
    const last = converted.at(-1)
    while (converted.length < objects.length) converted.push(last!)
    return converted
  }

  /** Closes the connections once no call is running. Requests that began before can still convert objects. */
  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#closeIfIdle()
  }

  #closeIfIdle(): void {
    if (!this.#isDisposed || this.#running > 0) return
    this.#client?.[Symbol.dispose]()
    this.#client = undefined
  }

  async #convertBatch(batch: readonly ConversionInput[], to: string, caller: ConversionCaller | undefined): Promise<readonly Converted[]> {
    const batchResult = await this.#call(batch, to, caller)
    const failed = batchResult.failure !== ''
    if (!failed) return batchResult.converted
    if (batch.length === 1 || batchResult.failure === 'conversion_webhook_call_failure') return batch.map(() => batchResult.error)
    const converted: Converted[] = []
    for (const object of batch) {
      caller?.signal?.throwIfAborted()
      const single = await this.#call([object], to, caller)
      converted.push(single.failure === '' ? single.converted[0]! : single.error)
    }
    return converted
  }

  /** Calls the webhook once, and records the call. */
  async #call(batch: readonly ConversionInput[], to: string, caller: ConversionCaller | undefined): Promise<CallResult> {
    const start = performance.now()
    this.#running++
    let result: CallResult
    try {
      result = await this.#send(batch, to, caller)
    } finally {
      this.#running--
      this.#closeIfIdle()
    }
    const labels = { definition: this.#definition.name, from: batch[0]!.version, to }
    this.#metrics?.recordCall(labels, result.failure, (performance.now() - start) / 1000)
    return result
  }

  /** Starts the step of a call. The name and the attributes are kube-apiserver's. */
  #startStep(caller: Span, { uid, to }: ReviewRequest, count: number): Span {
    return caller.startChild('Call conversion webhook', {
      'custom-resource-definition': this.#definition.name,
      'desired-api-version': formatGroupVersion(to),
      'object-count': count,
      UID: uid,
    })
  }

  async #send(batch: readonly ConversionInput[], to: string, caller: ConversionCaller | undefined): Promise<CallResult> {
    const { group, kind } = this.#definition
    const from: GroupVersionKind = { group, version: batch[0]!.version, kind }
    const fail = (failure: Exclude<ConversionFailureType, ''>, words: string): CallResult => ({
      failure,
      error: new Error(`conversion webhook for ${groupVersionKindString(from)} ${words}`),
    })
    if (this.#review === undefined)
      return { failure: 'conversion_webhook_call_failure', error: new Error('no supported conversion review versions') }
    const request: ReviewRequest = { version: this.#review, uid: newUid(), to: { group, version: to }, kind }
    const body = encodeReview(request, batch)
    this.#client ??= this.#createClient()
    const { signal } = caller ?? {}
    const step = caller?.span && this.#startStep(caller.span, request, batch.length)
    const answer = await this.#client.request({
      method: 'POST',
      path: this.#path,
      headers: { accept: 'application/json, */*', 'content-type': 'application/json' },
      body,
      timeoutMs: this.#timeoutMs,
      maxBytes: responseFactor * body.length + responseBytes,
      ...(signal && { signal }),
      span: step,
    })
    step?.addEvent('Request completed')
    step?.end(slowCallMs + slowObjectMs * batch.length)
    signal?.throwIfAborted()
    const problem = findAnswerError(answer)
    if (answer.failed || problem !== undefined) {
      const timeout = answer.failed && answer.error.kind === 'timeout' ? ' (Client.Timeout exceeded while awaiting headers)' : ''
      return fail('conversion_webhook_call_failure', `failed: ${problem?.message ?? ''}${timeout}`)
    }
    const began = performance.now()
    const response = decodeReview(request, answer.body)
    const pause = pauseIfLong(began)
    if (pause !== undefined) await pause
    if ('failure' in response) return fail(response.type, `failed: ${response.failure}`)
    const { objects } = response
    if (objects.length !== batch.length) {
      return fail('conversion_webhook_partial_response_failure', `returned ${objects.length} objects, expected ${batch.length}`)
    }
    const converted: KubeObject[] = []
    for (const [i, object] of objects.entries()) {
      const checked = checkConverted(batch[i]!, object, { group, version: to, kind })
      if (typeof checked === 'string') return fail('conversion_webhook_invalid_converted_object_failure', `returned ${checked}`)
      if (checked instanceof Error) return { failure: 'conversion_webhook_invalid_converted_object_failure', error: checked }
      converted.push(checked)
    }
    return { failure: '', converted }
  }
}

type CallResult =
  | { readonly failure: ''; readonly converted: readonly KubeObject[] }
  | { readonly failure: Exclude<ConversionFailureType, ''>; readonly error: Error }

/**
 * Checks one object of a response, and restores its metadata. If the object is invalid, returns an error or the end of kube-apiserver's
 * error text. kube-apiserver's text does not name the webhook for a value that is not an object with a kind.
 */
function checkConverted(original: ConversionInput, converted: JsonValue, targetKind: GroupVersionKind): KubeObject | Error | string {
  if (converted === null) return new Error('unexpected end of JSON input')
  if (!isJsonObject(converted)) return new Error(formatJsonTypeProblem(converted, '', 'map[string]interface {}'))
  const apiVersion = readText(converted['apiVersion'])
  if (readText(converted['kind']) === '' || apiVersion.split('/').length > 2) {
    return new Error(`Object 'Kind' is missing in '${stringifyJson(converted)}'`)
  }
  if (apiVersion !== formatGroupVersion(targetKind)) {
    return `invalid object at index 0: invalid groupVersion (expected ${formatGroupVersion(targetKind)}, received ${apiVersion})`
  }
  const kind = readText(converted['kind'])
  if (kind !== targetKind.kind) return `invalid object at index 0: invalid kind (expected ${targetKind.kind}, received ${kind})`
  const metadata = original.metadata()
  const changed = findChangedIdentity(metadata, converted)
  if (changed !== undefined) return `invalid object: ${changed}`
  const restored = restoreMetadata(metadata, converted)
  if (typeof restored === 'string') return `invalid metadata: ${restored}`
  const { kind: _kind, apiVersion: _apiVersion, ...members } = converted
  return { ...members, metadata: restored }
}

/** Divides objects into batches. */
function* splitIntoBatches(objects: readonly ConversionInput[]): Generator<readonly ConversionInput[], undefined> {
  let batch: ConversionInput[] = []
  let bytes = 0
  for (const object of objects) {
    if (batch.length > 0 && (batch.length === maxBatchObjects || bytes + object.body.length > maxBatchBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(object)
    bytes += object.body.length
  }
  if (batch.length > 0) yield batch
}

function readTarget({ spec }: DeepReadonly<CustomResourceDefinition>): ClientTarget {
  const { url, service, caBundle = '' } = spec.conversion?.webhook?.clientConfig ?? {}
  const authorities = Buffer.from(caBundle, 'base64').toString('utf8')
  const tls = authorities.trim() === '' ? {} : { authorities }
  if (service === undefined) return { url: url ?? '', tls }
  const { namespace, name, port = 443, path = '' } = service
  const reference = { namespace, name, port }
  return { url: buildServiceUrl(reference, path), service: reference, tls }
}
