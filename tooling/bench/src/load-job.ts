/** A load for a client process, which responds with a `LoadResult` or an error. */
export interface LoadJob {
  readonly url: string
  readonly token: string
  readonly connections: number
  /** Pending requests per connection. */
  readonly pipeline: number
  /** Sends each request on its own stream. Default: HTTP/1.1. */
  readonly http2?: boolean
  /** Maximum duration of the load. A load with `count` ends earlier if all requests are sent. */
  readonly seconds: number
  readonly count?: number
  /**
   * Requests per second, at scheduled times independent of responses; latencies count from the scheduled time. By default, each response
   * triggers the next request.
   */
  readonly rate?: number
  readonly request: RequestTemplate
  /** Additional requests; each is sent `times` per main request. */
  readonly between?: readonly { readonly request: RequestTemplate; readonly times: number }[]
  /** Streams opened before the load, whose events are counted. */
  readonly watch?: {
    readonly path: string
    readonly streams: number
    /** Check that every event arrives once on each stream, in order. */
    readonly checkOrder?: boolean
    /** Keep the streams open for the client's next load. */
    readonly keep?: boolean
  }
}

export interface LoadFailure {
  readonly error: string
}

/**
 * A request with placeholders. "{n}" in the path and body is replaced by an object number, which may repeat. "{i}" in the body is replaced by
 * a number that is unique in the run, so that each written value is new.
 */
export interface RequestTemplate {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  /** Default: JSON. */
  readonly accept?: string
  /** Default: no compression. */
  readonly acceptEncoding?: string
  readonly body?: string
  /** First value of "{n}". */
  readonly firstNumber?: number
  /** Increment of "{n}". Default: 1. */
  readonly step?: number
  /** "{n}" is taken modulo this, to reuse objects. */
  readonly modulo?: number
  /** "{n}" is padded with zeros to this length. */
  readonly digits?: number
}

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  /** The first unexpected status, for the error message. */
  readonly firstFailure: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly bytes: number
  readonly p50: number
  readonly p99: number
  /** Number of lines received on the watch streams. */
  readonly events: number
  /** Time from the first request to the last event. */
  readonly eventSeconds: number
  /** Time from opening the watches to the last event. */
  readonly watchSeconds: number
  /** Events that arrived twice, out of order, or not on all streams. Only for watches whose order is checked. */
  readonly disorder: number
}
