import { pause, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { hasSizeStatistics } from '@keelson/storagebackend'
import type { Backend, StorageMetrics } from '@keelson/storagebackend'

const intervalMs = 60_000

/** Updates the metrics of stored object counts immediately, and then every minute until `signal` aborts. */
export async function countStorage(
  backend: Backend,
  metrics: StorageMetrics,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const size = hasSizeStatistics(backend) ? () => backend.measureSize() : undefined
  while (!signal.aborted) {
    await metrics.refresh(size)
    await pause(clock, intervalMs, { signal })
  }
}
