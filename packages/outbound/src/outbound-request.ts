import type { IncomingHttpHeaders } from 'node:http'
import { getErrorMessage } from '@keelson/apimachinery'
import type { Span } from '@keelson/apimachinery'
import { OutboundError } from './failure.ts'
import { startHttpCall } from './http-call.ts'
import type { RawAnswer } from './read-answer.ts'

export interface OutboundRequest {
  readonly method?: string
  /** Path and query of the request. Default: those of the client's URL. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Timeout of the whole request in milliseconds, including connecting and reading the response. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Maximum size of the response body. A larger response is an error. Default 4 MiB. */
  readonly maxBytes?: number
  /** Whether the request may be retried if a reused connection turns out to be closed. Default: true for GET and HEAD. */
  readonly idempotent?: boolean
  /** Step of a recorded request that this request belongs to. Its trace context is sent. */
  readonly span?: Span | undefined
}

export type OutboundAnswer =
  | { readonly failed: false; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | {
      readonly failed: true
      readonly error: OutboundError
      /** True if the status and the headers of the response had arrived. Default: false. */
      readonly partial?: boolean
      /** Status of the response if it had arrived. */
      readonly status?: number
      /** Error message of Go's HTTP client, for example `Post "https://…": dial tcp …: connect: connection refused`. */
      readonly message: string
    }

export const defaultMaxBytes: number = 4 * 1024 * 1024

/**
 * Returns the scheme, host and port of a URL as configured: "https://host:port". Error messages and the Host header keep a port even if it is
 * the scheme's default.
 */
export function getOrigin(url: string): string {
  return /^[^/]*\/\/[^/?#]*/.exec(url)![0]
}

export interface SendOptions {
  readonly signal: AbortSignal
  /** Must be called with the status of the response before its body is read. */
  readonly onStatus: (status: number) => void
  /** Headers with the trace context, which must be sent too. */
  readonly traceHeaders: Readonly<Record<string, string>> | undefined
}

/** Sends a request. */
export type SendRequest = (options: SendOptions) => Promise<RawAnswer>

/** Sends a request within its timeout. Never rejects: failures are part of the answer. */
export async function answerInTime(request: OutboundRequest, url: string, send: SendRequest): Promise<OutboundAnswer> {
  const { method = 'GET' } = request
  const call = request.span && startHttpCall(request.span, method, url)
  const onStatus = (received: number): void => void (status = received)
  let status: number | undefined
  try {
    const answer = await runInTime(request, (signal) => send({ signal, onStatus, traceHeaders: call?.headers }))
    call?.end(answer.status)
    return { failed: false, ...answer }
  } catch (error) {
    const failure = toOutboundError(error)
    call?.fail(failure)
    const verb = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}`
    return {
      failed: true,
      error: failure,
      ...(status !== undefined && { partial: true, status }),
      message: `${verb} ${JSON.stringify(url)}: ${failure.message}`,
    }
  }
}

/** Calls `run` with a signal that aborts at the timeout of the request, or when its own signal aborts. */
async function runInTime<T>({ timeoutMs, signal }: OutboundRequest, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const cancel = (): void => controller.abort(createCanceledError(signal))
  const timer = setTimeout(() => controller.abort(new OutboundError('timeout', 'context deadline exceeded')), timeoutMs)
  if (signal?.aborted === true) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

export function createCanceledError(signal: AbortSignal | undefined): OutboundError {
  const reason: unknown = signal?.reason
  if ((reason as Error | undefined)?.name === 'TimeoutError')
    return new OutboundError('timeout', 'context deadline exceeded', { cause: reason })
  return reason instanceof OutboundError ? reason : new OutboundError('canceled', 'context canceled', { cause: reason })
}

export function toOutboundError(error: unknown): OutboundError {
  return error instanceof OutboundError ? error : new OutboundError('closed', getErrorMessage(error), { cause: error })
}
