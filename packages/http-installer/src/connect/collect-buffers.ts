import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Number of forwarded bytes after which their buffers are collected. */
const collectedBytes = 4 * 1024 * 1024

let forwardedBytes = 0
let collect: (() => void) | undefined

/**
 * Counts bytes that were read from another server, and collects their buffers from time to time. V8 would collect them only after twice the
 * maximum size of its young generation, so a long response would take 60 MB of memory. The collection takes less than a millisecond, because few
 * young objects are in use.
 */
export function countForwardedBytes(bytes: number): void {
  forwardedBytes += bytes
  if (forwardedBytes < collectedBytes) return
  forwardedBytes = 0
  collect ??= findCollector()
  collect()
}

function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  return () => gc({ type: 'minor' })
}
