import { readdirSync, readFileSync } from 'node:fs'
import { createSampledMetric } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'

/** What every Prometheus client says about its process. Numbers that only Linux has are left out elsewhere. */
export function registerProcessMetrics(registry: MetricsRegistry): void {
  const started = Date.now() / 1000 - process.uptime()
  const add = (type: 'counter' | 'gauge', name: string, help: string, sample: () => number | undefined): void => {
    registry.register(createSampledMetric(type, name, help, sample))
  }
  add('counter', 'process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  add('gauge', 'process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss())
  add('gauge', 'process_virtual_memory_bytes', 'Virtual memory size in bytes.', virtualMemory)
  add('gauge', 'process_open_fds', 'Number of open file descriptors.', openFiles)
  add('gauge', 'process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', () => started)
  add('gauge', 'nodejs_heap_size_used_bytes', 'Heap in use in bytes.', () => process.memoryUsage().heapUsed)
  add('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers outside the heap in bytes.', () => process.memoryUsage().external)
}

function virtualMemory(): number | undefined {
  return onLinux(() => {
    const kilobytes = /^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  })
}

function openFiles(): number | undefined {
  return onLinux(() => readdirSync('/proc/self/fd').length)
}

function onLinux<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
