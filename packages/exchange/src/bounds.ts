import type { Outgoing } from './node-streams.ts'

/** Limits the total size of the request bodies in memory. */
export interface BodyBudget {
  hold(user: string): BodyReservation
}

/** Memory reserved for one request body, from its first byte to the end of the request. */
export interface BodyReservation {
  /** Adds received bytes to the reservation. If the limit is reached, returns a promise to await before reading more; otherwise undefined. */
  add(bytes: number): Promise<void> | undefined
  release(): void
}

/** Measures how long a response waits for its client to read. A wait lasts from `begin` to `end`. */
export interface ClientWait {
  begin(): void
  end(): void
}

/** Limits the total size of the responses that clients have not read yet. Aborts some of these responses when the limit is exceeded. */
export interface UnreadAnswers {
  /** Counts `bytes` of unread response to `user`. Returns a function that stops counting them. */
  add(user: string, outgoing: Outgoing, bytes: number): () => void
}
