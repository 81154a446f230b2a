/** Defaults of `createServer` that are also flags of kube-apiserver. */
export const serverDefaults = {
  limits: { readOnly: 400, mutating: 200 },
  requestTimeoutMs: 60_000,
  /**
   * Limit of concurrent requests on an HTTP/2 connection, higher than kube-apiserver's default of 100. Node counts a cancelled stream until
   * it has cleaned the stream up, and would refuse the stream that replaces it.
   */
  maxStreamsPerConnection: 1_000,
  /** Time in milliseconds that a shutdown waits for requests in flight. */
  closeGraceMs: 10_000,
} as const
