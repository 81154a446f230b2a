import { pause, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { hasSizeStatistics } from '@keelson/storagebackend'
import type { Backend, StorageMetrics } from '@keelson/storagebackend'

const period = 60_000

/** Counts what is stored, at once and then every minute, until it is told to stop. */
export async function countStorage(
  backend: Backend,
  metrics: StorageMetrics,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const size = hasSizeStatistics(backend) ? () => backend.size() : undefined
  while (!signal.aborted) {
    await metrics.refresh(size)
    await pause(clock, period, { signal })
  }
}
