import { validateDeck } from './dealer.ts'

/** Treatment of the requests that find no free seats at a priority level. */
export type Queuing =
  /** Executes every request at once. */
  | { readonly type: 'exempt' }
  /** Rejects them. */
  | { readonly type: 'reject' }
  /** Queues them. A request joins the queue with the least waiting work in the hand of its flow. */
  | { readonly type: 'queue'; readonly queues: number; readonly queueLengthLimit: number; readonly handSize: number }

/** Returns an error message if a queue set cannot be created with this queuing. */
export function validateQueuing(queuing: Queuing): string | undefined {
  if (queuing.type !== 'queue') return undefined
  const problem = validateDeck(queuing.queues, queuing.handSize)
  return problem && `the QueueSetConfig implies an invalid shuffle sharding config (DesiredNumQueues is deckSize): ${problem}`
}
