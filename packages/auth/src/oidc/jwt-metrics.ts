import { createHash } from 'node:crypto'
import { createGauge, createHistogram } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Metrics of fetching the keys of one issuer. */
export interface JwksMetrics {
  countSuccess(keySet: string): void
  countFailure(): void
}

export interface JwtMetrics {
  /** Records how long the authentication of a token of the issuer took. */
  observe(issuer: string, isSuccess: boolean, seconds: number): void
  createKeySetMetrics(issuer: string): JwksMetrics
  /** Removes the metrics of an issuer that is no longer configured. */
  forget(issuer: string): void
}

export interface JwtMetricsOptions {
  /** Hash of the server's id, which is a label of the metrics. */
  readonly apiServerIdHash: string
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number
}

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const prefix = 'apiserver_authentication_jwt_authenticator'

/** Registers metrics of JWT authentication under kube-apiserver's names. */
export function createJwtMetrics(registry: MetricsRegistry, { apiServerIdHash, now }: JwtMetricsOptions): JwtMetrics {
  const latency = registry.register(
    createHistogram(`${prefix}_latency_seconds`, '[ALPHA] Time to authenticate a token of an issuer, in seconds.', buckets),
  )
  const fetches = registry.register(
    createGauge(`${prefix}_jwks_fetch_last_timestamp_seconds`, '[ALPHA] Time of the last fetch of the keys of an issuer, by result.'),
  )
  const keySetInfo = registry.register(
    createGauge(`${prefix}_jwks_fetch_last_key_set_info`, '[ALPHA] The keys of an issuer that were fetched last, as a hash.'),
  )
  const hashes = new Map<string, string>()
  const createLabels = (issuer: string): { jwt_issuer_hash: string; apiserver_id_hash: string } => ({
    jwt_issuer_hash: hashText(issuer),
    apiserver_id_hash: apiServerIdHash,
  })
  function forgetKeys(issuer: string): void {
    const hash = hashes.get(issuer)
    if (hash !== undefined) keySetInfo.delete({ ...createLabels(issuer), hash })
    hashes.delete(issuer)
  }
  return {
    observe: (issuer, isSuccess, seconds) =>
      latency.with({ result: isSuccess ? 'success' : 'failure', jwt_issuer_hash: hashText(issuer) }).observe(seconds),
    createKeySetMetrics: (issuer) => ({
      countSuccess: (keySet) => {
        forgetKeys(issuer)
        const hash = hashText(keySet)
        hashes.set(issuer, hash)
        keySetInfo.with({ ...createLabels(issuer), hash }).value = 1
        fetches.with({ ...createLabels(issuer), result: 'success' }).value = now() / 1000
      },
      countFailure: () => {
        fetches.with({ ...createLabels(issuer), result: 'failure' }).value = now() / 1000
      },
    }),
    forget: (issuer) => {
      forgetKeys(issuer)
      for (const result of ['success', 'failure']) fetches.delete({ ...createLabels(issuer), result })
    },
  }
}

function hashText(text: string): string {
  return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`
}
