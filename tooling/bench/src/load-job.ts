/** What one load client process does; handed over as JSON on its command line, answered by a `LoadResult` on stdout. */
export interface LoadJob {
  readonly url: string
  readonly token: string
  readonly connections: number
  /** Requests under way on each connection. */
  readonly pipeline: number
  /** Ends after this time, or after `count` requests when that is given. */
  readonly seconds: number
  readonly count?: number
  readonly request: RequestTemplate
  /** Streams that are opened first; what arrives on them is counted. */
  readonly watch?: { readonly path: string; readonly streams: number }
}

/** "{n}" in path and body is replaced by a number that no other request of this run has. */
export interface RequestTemplate {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  /** Default: JSON. */
  readonly accept?: string
  readonly body?: string
  /** Where "{n}" begins. */
  readonly firstNumber?: number
  /** "{n}" is taken modulo this, when objects are used again. */
  readonly modulo?: number
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
  /** Until the last of them. */
  readonly eventSeconds: number
}
