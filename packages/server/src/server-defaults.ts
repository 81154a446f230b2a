/** Defaults of `createServer` that are also flags of kube-apiserver. */
export const serverDefaults = {
  limits: { readOnly: 400, mutating: 200 },
  requestTimeoutMs: 60_000,
  /** The default of kube-apiserver is 100. Node counts a cancelled stream until it has cleaned it up, and would refuse the stream that replaces it. */
  maxStreamsPerConnection: 1_000,
  /** The time that a shutdown waits for requests in flight. */
  closeGraceMs: 10_000,
} as const
