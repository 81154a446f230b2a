/** Defaults of `createServer` that are kube-apiserver's flags, too. */
export const serverDefaults = {
  limits: { readOnly: 400, mutating: 200 },
  requestTimeoutMs: 60_000,
  /** kube-apiserver has 100; Node counts cancelled streams until it has cleaned them up, and would refuse their successors. */
  maxStreamsPerConnection: 1_000,
  /** Longest wait of a stop for requests in flight. */
  closeGraceMs: 10_000,
} as const
