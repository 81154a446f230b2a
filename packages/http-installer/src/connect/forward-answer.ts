import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { BrokenResponseError, ClientGoneError, DeadlineExceededError, sendBytes, sendStream } from '@keelson/exchange'
import type { Exchange, ResponseSink } from '@keelson/exchange'
import { countForwardedBytes } from './collect-buffers.ts'
import { listAnswerHeaders, listPairs, without } from './forwarded-headers.ts'
import type { Passage } from './passage.ts'
import { rewriteHtml } from './rewrite-html.ts'
import type { LinkRewriter } from './rewrite-links.ts'

/** A response of another server whose body has not been read yet. */
export interface ForwardedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Readable
  /** After the end of the body: whether the other server has sent all of it. */
  readonly isComplete: boolean
  /** Returns the body if all of it has arrived and `body` was not used. Small bodies then need no stream. */
  takeWhole?(): Buffer | undefined
}

/** Time in milliseconds for which a long-running response may continue after the shutdown has begun. */
const shutdownGraceMs = 1000
/** Bodies up to this size in bytes are sent with their headers in one piece. */
const maxShortBody = 64 * 1024
const bodilessStatus: ReadonlySet<number> = new Set([204, 304])

/**
 * Sends a response of another server to the client. The other server can send no faster than the client reads. The caller must close the
 * connection to the other server afterwards. Throws `BrokenResponseError` if the client gets only a part of the response.
 */
export async function forwardAnswer(passage: Passage, answer: ForwardedAnswer, links: LinkRewriter): Promise<void> {
  const { exchange, stopping } = passage
  const { status } = answer
  const rewritten = rewriteHtml(answer.headers, links)
  const headers = listHeaders(answer, links, rewritten !== undefined)
  if (exchange.method === 'HEAD' || bodilessStatus.has(status)) {
    answer.body.resume()
    return sendBytes(exchange, status, headers, '')
  }
  const length = rewritten === undefined ? Number(answer.headers['content-length']) : Number.NaN
  const sendWhole = (whole: Buffer): void => {
    if (Number.isNaN(length)) headers.push('Content-Length', String(whole.length))
    sendBytes(exchange, status, headers, whole)
  }
  const arrived = rewritten === undefined ? answer.takeWhole?.() : undefined
  if (arrived !== undefined) {
    checkUnanswered(exchange)
    return sendWhole(arrived)
  }
  const { body } = answer
  const reader = new BodyReader(rewritten === undefined ? body : (pipeline([body, ...rewritten], () => {}) as unknown as Readable), answer)
  const destroyLater = (): void => void setTimeout(() => body.destroy(), shutdownGraceMs).unref()
  if (exchange.isLongRunning) stopping.addEventListener('abort', destroyLater)
  try {
    const start = await reader.readStart(length <= maxShortBody).catch((error: unknown) => {
      // After the deadline, the client has got another response.
      if (!exchange.outgoing.headersSent) exchange.outgoing.destroy()
      throw new BrokenResponseError(error)
    })
    checkUnanswered(exchange)
    if (!start.isWhole) return await sendStream(exchange, status, headers, (sink) => reader.copyTo(sink, start.chunks))
    sendWhole(start.chunks.length === 1 ? start.chunks[0]! : Buffer.concat(start.chunks))
  } finally {
    stopping.removeEventListener('abort', destroyLater)
  }
}

/** Throws if the client has got another response, because the deadline has passed. */
function checkUnanswered({ outgoing }: Exchange): void {
  if (outgoing.headersSent) throw new BrokenResponseError(new DeadlineExceededError('the request timed out'))
}

/** Returns the headers for the client, as alternating names and values. */
function listHeaders({ headers: { location }, rawHeaders }: ForwardedAnswer, links: LinkRewriter, isRewritten: boolean): string[] {
  const list = listAnswerHeaders(rawHeaders)
  for (let i = location === undefined ? list.length : 0; i < list.length; i += 2) {
    if (list[i]!.toLowerCase() === 'location') list[i + 1] = links.rewrite(list[i + 1]!)
  }
  // The length of a rewritten body is not known yet.
  return isRewritten ? without(listPairs(list), 'content-length').flat() : list
}

interface BodyStart {
  readonly chunks: readonly Buffer[]
  /** True if the body has no more bytes. */
  readonly isWhole: boolean
}

interface BodyListeners {
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: () => void
  readonly onError: (error: Error) => void
}

class BodyReader {
  readonly #body: Readable
  readonly #answer: Pick<ForwardedAnswer, 'isComplete'>

  constructor(body: Readable, answer: Pick<ForwardedAnswer, 'isComplete'>) {
    this.#body = body
    this.#answer = answer
    // An `error` event without a listener would end the process.
    body.on('error', () => {})
  }

  /**
   * Reads the bytes that arrive together with the headers, or a complete short body. A small response is then a single write. Rejects if the
   * body ends too early.
   */
  readStart(isShort: boolean): Promise<BodyStart> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let size = 0
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk)
        size += chunk.length
        if (size > maxShortBody) finish(false)
      }
      let isFinished = false
      const finish = (isWhole: boolean): void => {
        if (isFinished) return
        isFinished = true
        stopReading()
        if (!isWhole) this.#body.pause()
        resolve({ chunks, isWhole })
      }
      const stopReading = this.#read({
        onData,
        onEnd: () => finish(true),
        onError: (error) => {
          isFinished = true
          stopReading()
          reject(error)
        },
      })
      if (!isShort) setImmediate(finish, false)
    })
  }

  /** Writes the start and the rest of the body. Rejects if the body ends too early or the client disconnects. */
  copyTo(sink: ResponseSink, start: readonly Buffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let isPaused = false
      const write = (chunk: Buffer): void => {
        countForwardedBytes(chunk.length)
        if (sink.write(chunk) || isPaused) return
        isPaused = true
        this.#body.pause()
        void sink.waitForDrain().then(() => {
          isPaused = false
          this.#body.resume()
        })
      }
      this.#read({ onData: write, onEnd: resolve, onError: reject })
      sink.onClose(() => {
        this.#body.destroy()
        reject(new ClientGoneError())
      })
      for (const chunk of start) write(chunk)
    })
  }

  /** Calls the listeners, but not before it has returned. Returns the function that removes them. */
  #read({ onData, onEnd: onWhole, onError }: BodyListeners): () => void {
    const body = this.#body
    const onEnd = (): void => (this.#answer.isComplete ? onWhole() : onError(new EarlyEndError()))
    const onClose = (): void => onError(new EarlyEndError())
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
    if (body.readableEnded) process.nextTick(onEnd)
    else if (body.destroyed) process.nextTick(onClose)
    else body.resume()
    return () => void body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
  }
}

class EarlyEndError extends Error {
  override readonly name = 'EarlyEndError'

  constructor() {
    super('the other server has sent only a part of the response')
  }
}
