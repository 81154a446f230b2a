import { createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { DeprecationObserver } from '@keelson/http-installer'

/** Creates the metric of deprecated API versions that clients request. Its labels include the release that removes the version. */
export function createDeprecationMetrics(registry: MetricsRegistry): DeprecationObserver {
  const gauge = registry.register(
    createGauge(
      'apiserver_requested_deprecated_apis',
      '[STABLE] Deprecated APIs that have been requested, by group, version, resource, subresource and the release that has them no longer.',
    ),
  )
  const countedPaths = new WeakSet<object>()
  return (path, gone) => {
    if (countedPaths.has(path)) return
    countedPaths.add(path)
    gauge.with({ ...path.gvr, subresource: path.subresource, removed_release: gone }).value = 1
  }
}
