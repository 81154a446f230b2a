/** A load that a client process runs. The process responds with a `LoadResult` or an error. */
export interface LoadJob {
  readonly url: string
  readonly token: string
  readonly connections: number
  /** Number of pending requests per connection. */
  readonly pipeline: number
  /** Whether to use HTTP/2, with one stream per request. Default: HTTP/1.1. */
  readonly http2?: boolean
  /** Maximum duration of the load in seconds. A load with `count` ends when all requests have a response. */
  readonly seconds: number
  readonly count?: number
  /**
   * Number of requests per second. Requests are sent at scheduled times, independent of responses, and latencies count from the scheduled
   * time. By default, each response triggers the next request.
   */
  readonly rate?: number
  readonly request: RequestTemplate
  /** Additional requests. Each is sent `times` times per main request. */
  readonly interleavedRequests?: readonly { readonly request: RequestTemplate; readonly times: number }[]
  /** Watches that are opened before the load. Their events are counted. */
  readonly watch?: {
    readonly path: string
    readonly streams: number
    /** Whether to check that every event arrives once on each stream, in order. */
    readonly checkOrder?: boolean
    /** Whether to keep the streams open for the next load of this client. */
    readonly keep?: boolean
  }
}

export interface LoadFailure {
  readonly error: string
}

/**
 * A request with placeholders. "{n}" in the path and body is replaced by the number of an object. Object numbers can repeat. "{i}" in the
 * body is replaced by a number that is unique in the run, so that each written value is new.
 */
export interface RequestTemplate {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  /** Accept header. Default: JSON. */
  readonly accept?: string
  /** Accept-Encoding header. Default: no compression. */
  readonly acceptEncoding?: string
  readonly body?: string
  /** First value of "{n}". */
  readonly firstNumber?: number
  /** Increment of "{n}". Default: 1. */
  readonly step?: number
  /** Number of objects. If set, "{n}" starts again at the first number after this many requests. */
  readonly modulo?: number
  /** Minimum number of digits of "{n}", which is padded with zeros. */
  readonly digits?: number
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** First unexpected status code. */
  readonly firstFailure: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly bytes: number
  readonly p50: number
  readonly p99: number
  /** Number of events received on the watch streams. */
  readonly events: number
  /** Seconds from the first request to the last event. */
  readonly eventSeconds: number
  /** Seconds from opening the watches to the last event. */
  readonly watchSeconds: number
  /** Number of events that arrived twice, out of order, or not on all streams. 0 unless the watch has `checkOrder`. */
  readonly disorder: number
}
