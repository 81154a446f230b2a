/** Names and values that describe a span or an event. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** Attributes, or a function that returns them. The function is called only if a span is exported or logged. */
export type LazySpanAttributes = SpanAttributes | (() => SpanAttributes)

/**
 * A timed step of a request, for traces and for the log of slow requests. A request has a span only if it is recorded, so callers write
 * `context.span?.addEvent('Ready')`.
 */
export interface Span {
  /** Audit id of the request. Spans of the storage have it as an attribute. */
  readonly auditId: string
  /** Starts a step of this span. */
  startChild(name: string, attributes?: LazySpanAttributes): Span
  /** Starts a step that is exported, but not logged. */
  startPhase(name: string): Span
  /** Starts a request to another server, which is exported, but not logged. */
  startCall(call: StartedCall): CallSpan
  addEvent(name: string, attributes?: SpanAttributes): void
  recordError(error: unknown): void
  /** Ends the span. A span that took at least `logThresholdMs` milliseconds is logged. Default: the span is not logged. */
  end(logThresholdMs?: number): void
}

export interface StartedCall {
  readonly name: string
  readonly protocol: 'http' | 'grpc'
  readonly attributes?: LazySpanAttributes
}

/** The span of a request to another server. */
export interface CallSpan {
  /** Headers that make the spans of the other server part of this trace. */
  readonly headers: Readonly<Record<string, string>>
  addEvent(name: string, attributes?: SpanAttributes): void
  setAttributes(attributes: SpanAttributes): void
  /** Ends the span. `failure` marks it as failed. */
  end(failure?: string): void
}
