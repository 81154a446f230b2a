import { readdirSync, readFileSync } from 'node:fs'
import { createSampledMetric } from '@keelson/apimachinery/metrics'
import type { Collector, MetricsRegistry } from '@keelson/apimachinery/metrics'

/** Registers the process metrics that every Prometheus client library exposes. On other systems than Linux, some of them do not exist. */
export function registerProcessMetrics(registry: MetricsRegistry): void {
  const add = (type: 'counter' | 'gauge', name: string, help: string, sample: () => number | undefined): void => {
    registry.register(createSampledMetric(type, name, help, sample))
  }
  add('counter', 'process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  add('gauge', 'process_resident_memory_bytes', 'Resident memory size in bytes.', () => process.memoryUsage.rss())
  add('gauge', 'process_virtual_memory_bytes', 'Virtual memory size in bytes.', readVirtualMemory)
  add('gauge', 'process_open_fds', 'Number of open file descriptors.', openFiles)
  add('gauge', 'process_max_fds', 'Maximum number of open file descriptors.', readMaxOpenFiles)
  registry.register(startTime())
  add('gauge', 'nodejs_heap_size_used_bytes', 'Heap in use in bytes.', () => process.memoryUsage().heapUsed)
  add('gauge', 'nodejs_heap_size_total_bytes', 'Heap that is there in bytes.', () => process.memoryUsage().heapTotal)
  add('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers outside the heap in bytes.', () => process.memoryUsage().external)
  add('gauge', 'nodejs_active_resources_total', 'Sockets, timers, requests and the like that keep the process busy.', () => {
    return process.getActiveResourcesInfo().length
  })
}

/** Returns a collector of the process start time in seconds. Several metrics pages include it. */
export function startTime(): Collector {
  return createSampledMetric(
    'gauge',
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    () => performance.timeOrigin / 1000,
  )
}

function readVirtualMemory(): number | undefined {
  return onLinux(() => {
    const kilobytes = /^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  })
}

function openFiles(): number | undefined {
  return onLinux(() => readdirSync('/proc/self/fd').length)
}

function readMaxOpenFiles(): number | undefined {
  return onLinux(() => {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? undefined : Number(soft)
  })
}

function onLinux<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
