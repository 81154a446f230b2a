import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { createServerId } from '@keelson/aggregator'
import { createCounter, createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry, ValueVector } from '@keelson/apimachinery/metrics'

/** Returns the SHA-256 hash of a text in the format that kube-apiserver's metrics use. */
export function hashForMetrics(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Value of the label `apiserver_id_hash`: the hash of this server's name. */
export const apiServerIdHash: string = hashForMetrics(createServerId(hostname()))

/** Metrics about reloads of a configuration file. */
export interface ReloadMetrics {
  /** Records the configuration that is in use when the server starts. */
  recordStart(content: string): void
  recordSuccess(content: string): void
  recordFailure(): void
}

/**
 * Registers the reload metrics of the authentication or the authorization configuration. If no file is configured, the metrics have no
 * series.
 */
export function createReloadMetrics(
  registry: MetricsRegistry,
  subject: 'authentication' | 'authorization',
  now: () => number,
): ReloadMetrics {
  const prefix = `apiserver_${subject}_config_controller`
  const reloads = registry.register(createCounter(`${prefix}_automatic_reloads_total`, `[BETA] Reloads of the ${subject} configuration.`))
  const timestamps = registry.register(
    createGauge(`${prefix}_automatic_reload_last_timestamp_seconds`, `[BETA] Time of the last reload of the ${subject} configuration.`),
  )
  const configInfo = registry.register(
    createGauge(`${prefix}_last_config_info`, `[ALPHA] The ${subject} configuration that was loaded last.`),
  )
  const attempt = (status: string): void => {
    reloads.with({ status, apiserver_id_hash: apiServerIdHash }).value++
    timestamps.with({ status, apiserver_id_hash: apiServerIdHash }).value = now() / 1000
  }
  let lastHash: string | undefined
  const recordStarted = (content: string): void => {
    lastHash = replaceInfo(configInfo, lastHash, hashForMetrics(content))
  }
  return {
    recordStart: recordStarted,
    recordSuccess: (content) => {
      attempt('success')
      recordStarted(content)
    },
    recordFailure: () => attempt('failure'),
  }
}

function replaceInfo(infoMetric: ValueVector, before: string | undefined, after: string): string {
  if (before !== undefined) infoMetric.delete({ apiserver_id_hash: apiServerIdHash, hash: before })
  infoMetric.with({ apiserver_id_hash: apiServerIdHash, hash: after }).value = 1
  return after
}
