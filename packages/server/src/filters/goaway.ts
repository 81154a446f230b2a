import { closeAfterAnswer } from '../close-after-answer.ts'
import type { Filter } from './filter.ts'

/**
 * Creates a filter that sends GOAWAY with the given probability. HTTP/2 clients then reconnect after the response, so that load balancers
 * can distribute them.
 */
export function goAway(chance: number): Filter | undefined {
  if (chance <= 0) return undefined
  return ({ incoming }) => {
    if (Math.random() < chance) closeAfterAnswer(incoming)
  }
}
