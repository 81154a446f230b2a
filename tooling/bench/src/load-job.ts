/** One load, as it is sent to a client's process, answered by a `LoadResult` or by what went wrong. */
export interface LoadJob {
  readonly url: string
  readonly token: string
  readonly connections: number
  /** Requests under way on each connection. */
  readonly pipeline: number
  /** Each request is a stream. Default: HTTP/1.1. */
  readonly http2?: boolean
  /** Ends after this time, or after `count` requests when that is given. */
  readonly seconds: number
  readonly count?: number
  /** So many in a second, due at their time whether or not earlier ones were answered; latencies count from then on. Default: the next when one is answered. */
  readonly rate?: number
  readonly request: RequestTemplate
  /** Others that are sent between, each so often for one of `request`. */
  readonly between?: readonly { readonly request: RequestTemplate; readonly times: number }[]
  /** Streams that are opened first; what arrives on them is counted. */
  readonly watch?: {
    readonly path: string
    readonly streams: number
    /** Looks into each event: all have to come once on each stream, in order. */
    readonly checkOrder?: boolean
    /** They stay open: the client's next load takes them instead of its own. */
    readonly keep?: boolean
  }
}

export interface LoadFailure {
  readonly error: string
}

/**
 * "{n}" in path and body is replaced by the number of an object, which comes again where objects are used again; "{i}" in the body by a number
 * that no other request of this run has, so that what is written to an object is always new.
 */
export interface RequestTemplate {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  /** Default: JSON. */
  readonly accept?: string
  /** Default: no compression is asked for. */
  readonly acceptEncoding?: string
  readonly body?: string
  /** Where "{n}" begins. */
  readonly firstNumber?: number
  /** How far "{n}" is from the one before. Default: 1. */
  readonly step?: number
  /** "{n}" is taken modulo this, when objects are used again. */
  readonly modulo?: number
  /** "{n}" has so many digits, with zeros in front. */
  readonly digits?: number
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** The first unexpected status, for the message. */
  readonly firstFailure: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly bytes: number
  readonly p50: number
  readonly p99: number
  /** Lines that arrived on the watch streams. */
  readonly events: number
  /** Until the last of them, from the first request. */
  readonly eventSeconds: number
  /** Until the last of them, from when watches were opened. */
  readonly watchSeconds: number
  /** Of watches whose order is checked: events that came twice, too late, or not on all streams. */
  readonly disorder: number
}
