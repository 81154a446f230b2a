import { createCounter } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { Exchange } from '@keelson/exchange'
import type { OutboundError } from '@keelson/outbound'

/** Counts requests that failed because the certificate of the other server has a deprecated form. */
export interface CertificateMetrics {
  /** Counts a failure, and names it in the audit event of the request. `host` is the address of the server without the port. */
  countFailure(error: OutboundError, host: string, exchange: Exchange): void
}

const checks = [
  {
    metric: 'apiserver_kube_aggregator_x509_missing_san_total',
    help: 'Number of requests to servers whose certificate has no subject alternative names.',
    pattern: 'x509: certificate relies on legacy Common Name field',
    annotation: 'missing-san.invalid-cert.kubernetes.io',
    reason: 'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  },
  {
    metric: 'apiserver_kube_aggregator_x509_insecure_sha1_total',
    help: 'Number of requests to servers whose certificate has a SHA-1 signature.',
    pattern: 'insecure algorithm SHA1',
    annotation: 'insecure-sha1.invalid-cert.kubernetes.io',
    reason: 'uses an insecure SHA-1 signature',
  },
]

/** Registers the counters, which start at zero. */
export function createCertificateMetrics(registry: MetricsRegistry): CertificateMetrics {
  const counters = checks.map((check) => {
    const value = registry.register(createCounter(check.metric, `[ALPHA] ${check.help}`)).with({})
    return { check, value }
  })
  return {
    countFailure(error, host, exchange) {
      if (error.kind !== 'tls') return
      for (const { check, value } of counters) {
        if (!error.message.includes(check.pattern)) continue
        value.value++
        exchange.annotate?.(`${check.annotation}/${host}`, check.reason)
      }
    },
  }
}
