import type { Lifecycle } from '../lifecycle.ts'
import type { Filter } from './filter.ts'

/** Counts the requests that a stopping server waits for. */
export function countRequest(lifecycle: Lifecycle): Filter {
  const leave = (): void => lifecycle.leave()
  return (exchange) => {
    lifecycle.enter()
    exchange.onEnd(leave)
  }
}
