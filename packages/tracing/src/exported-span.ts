import type { IncomingHttpHeaders } from 'node:http'
import type { LazySpanAttributes, SpanAttributes } from '@keelson/apimachinery'

export type SpanKind = 'internal' | 'server' | 'client'

/** Instrumentation that a span belongs to. Collectors show it as the scope of the span. */
export type SpanScope = 'steps' | 'phases' | 'http' | 'grpc'

export interface SpanStart {
  readonly name: string
  readonly scope: SpanScope
  /** Default: internal. */
  readonly kind?: SpanKind
  readonly attributes?: LazySpanAttributes | undefined
  /** Time at which the span started, as returned by `performance.now()`. Default: now. */
  readonly started?: number
}

/** A span that is sent to a collector if its trace is sampled. */
export interface ExportedSpan {
  startChild(start: SpanStart): ExportedSpan
  addEvent(name: string, attributes?: SpanAttributes): void
  setAttributes(attributes: SpanAttributes): void
  recordError(error: unknown): void
  /** Marks the span as failed. */
  setFailed(message: string): void
  /** Headers that pass the trace context to another server. */
  createHeaders(): Readonly<Record<string, string>>
  end(): void
}

/** Starts spans, and sends those of sampled traces to a collector. */
export interface SpanSource {
  /** Starts the first span of a trace. */
  startRoot(start: SpanStart): ExportedSpan
  /**
   * Starts the span of a received request. With a trace context in the headers of a trusted client, it is part of the client's trace. An
   * untrusted client's context becomes a link of a new trace. Without a context, `parent` is the parent.
   */
  startReceived(start: SpanStart, request: ReceivedRequest): ExportedSpan
  /** Sends the waiting spans, and closes the connection to the collector. */
  shutdown(): Promise<void>
}

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly isTrusted: boolean
  readonly parent: ExportedSpan
}
