import { pause, systemClock, TokenBucket } from '@keelson/apimachinery'
import type { Clock, Span, SpanAttributes, TokenRate } from '@keelson/apimachinery'
import { findAnswerError, postToWebhook, retryWebhook } from '@keelson/outbound'
import type { KubeconfigWebhook, OutboundAnswer } from '@keelson/outbound'
import type { AuditEvent } from '../events/audit-event.ts'
import { describeLost, lineHeadSize } from './backend.ts'
import type { AuditBackend, ReportLoss } from './backend.ts'
import { EventBuffer, measureHeld } from './event-buffer.ts'
import type { HeldEvent } from './event-buffer.ts'
import { EventGate } from './event-gate.ts'
import type { AuditMode } from './log-backend.ts'

export interface BatchLimits {
  /** Maximum number of waiting events. More are dropped. */
  readonly bufferSize: number
  /** Maximum number of events in a request. */
  readonly maxBatchSize: number
  /** Time after which events are sent although the batch is not full, in milliseconds. */
  readonly maxBatchWaitMs: number
  /** Limits the rate of requests. Undefined: no limit. */
  readonly throttle: TokenRate | undefined
}

export interface WebhookBackendOptions {
  /** The webhook. The backend disposes it when it closes. */
  readonly webhook: KubeconfigWebhook & Disposable
  readonly mode: AuditMode
  readonly batch: BatchLimits
  /** Maximum size of the events in a request, in bytes. Default: no limit. */
  readonly maxBatchBytes?: number | undefined
  readonly report: ReportLoss
  /** Starts a step for the log of slow requests. Default: slow requests to the webhook are not logged. */
  readonly startStep?: ((name: string, attributes: SpanAttributes) => Span | undefined) | undefined
}

/** Time in milliseconds from which a request is in the log of slow requests: a part for the request, and one for each event. */
const slowRequestMs = 50
const slowEventMs = 25

/** Creates the backend that posts lists of events to a webhook. */
export function createWebhookBackend(options: WebhookBackendOptions): AuditBackend {
  return new WebhookBackend(options)
}

class WebhookBackend implements AuditBackend {
  readonly #options: WebhookBackendOptions
  readonly #clock: Clock
  readonly #sending = new Set<Promise<boolean>>()
  readonly #throttle: TokenBucket | undefined
  readonly #buffer: EventBuffer
  readonly #gate: EventGate
  #waiting: HeldEvent[] = []
  /** The loop that sends batches while events wait. */
  #loop: Promise<void> | undefined
  /** Ends the wait for more events. */
  #wake: () => void = () => {}
  #isClosing = false

  constructor(options: WebhookBackendOptions) {
    this.#options = options
    this.#clock = options.webhook.clock ?? systemClock
    const { throttle, bufferSize } = options.batch
    this.#buffer = new EventBuffer({ maxWaiting: bufferSize, report: options.report })
    this.#gate = new EventGate({ isFull: () => this.#buffer.isFull, take: (event) => this.#sendOne(event) })
    this.#throttle = throttle && new TokenBucket(throttle, this.#clock.now())
  }

  process(event: AuditEvent): Promise<boolean> | undefined {
    const { mode, batch } = this.#options
    if (mode !== 'batch') return this.#gate.pass(event)
    const held = this.#buffer.holdOrDrop(event, this.#waiting.length)
    if (held === undefined) return undefined
    this.#waiting.push(held)
    if (this.#waiting.length >= batch.maxBatchSize) this.#wake()
    this.#loop ??= this.#sendBatches()
    return undefined
  }

  #sendOne(event: AuditEvent): Promise<boolean> {
    const sending = this.#track(this.#send([this.#buffer.hold(event)]))
    return sending.then((stored) => stored || this.#options.mode === 'blocking')
  }

  async #sendBatches(): Promise<void> {
    const { maxBatchSize, maxBatchWaitMs } = this.#options.batch
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < maxBatchSize && maxBatchSize > 1) await this.#waitForMore(maxBatchWaitMs)
      const batch = this.#waiting.slice(0, maxBatchSize)
      this.#waiting = this.#waiting.slice(batch.length)
      for (const part of splitBySize(batch, this.#options.maxBatchBytes)) {
        await this.#throttleRequest()
        void this.#track(this.#send(part))
      }
    }
    this.#loop = undefined
  }

  /** Waits until the batch is full, the time has passed or the backend closes. */
  #waitForMore(milliseconds: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }

  async #throttleRequest(): Promise<void> {
    const wait = this.#throttle?.reserve(this.#clock.now()) ?? 0
    if (wait > 0) await pause(this.#clock, wait, { keepAlive: true })
  }

  #track(sending: Promise<boolean>): Promise<boolean> {
    this.#sending.add(sending)
    void sending.then(() => this.#sending.delete(sending))
    return sending
  }

  #send(events: readonly HeldEvent[]): Promise<boolean> {
    // The attempts keep only one copy of the encoded events.
    return this.#post(encodeList(events), { summaries: events.map(({ summary }) => summary), size: measureHeld(events) })
  }

  /** Posts a list of events, with further attempts after any error. Returns whether they were accepted. */
  async #post(body: Buffer, { summaries, size }: { readonly summaries: readonly string[]; readonly size: number }): Promise<boolean> {
    const { webhook, report, startStep } = this.#options
    const attempt = async (): Promise<Error | undefined> => {
      const count = summaries.length
      const step = startStep?.('Call Audit Events webhook', { name: 'webhook', 'event-count': count })
      const problem = await postToWebhook(webhook, { body }).then(findProblem, (error: unknown) => error as Error)
      step?.end(slowRequestMs + slowEventMs * count)
      return problem
    }
    const problem = await retryWebhook(webhook, attempt, { shouldRetry: (error) => error !== undefined, keepAlive: true })
    this.#buffer.release(size)
    this.#gate.resume()
    if (problem !== undefined) report('webhook', problem, describeLost(summaries))
    return problem === undefined
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    await this.#loop
    while (this.#sending.size > 0) await Promise.all(this.#sending)
    this.#options.webhook[Symbol.dispose]()
  }
}

/** Returns the error for which an answer does not accept events. */
function findProblem(answer: OutboundAnswer): Error | undefined {
  return !answer.failed && answer.status >= 200 && answer.status <= 206 ? undefined : findAnswerError(answer)
}

function encodeList(events: readonly HeldEvent[]): Buffer {
  const items = events.map(({ text }) => text).join(',{')
  return Buffer.from(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{${items}]}`)
}

/** Splits a batch so that no part has more than `maxBytes` bytes, unless it is a single event. */
function splitBySize(events: readonly HeldEvent[], maxBytes?: number): readonly (readonly HeldEvent[])[] {
  if (maxBytes === undefined) return [events]
  const batches: HeldEvent[][] = []
  let bytes = 0
  for (const event of events) {
    const size = Buffer.byteLength(event.text) + lineHeadSize
    if (batches.length === 0 || bytes + size > maxBytes) {
      batches.push([])
      bytes = 0
    }
    batches.at(-1)!.push(event)
    bytes += size
  }
  return batches
}
