import type { Outgoing } from './node-streams.ts'

/** Limits the total bytes of request bodies in memory. */
export interface BodyBudget {
  hold(user: string): BodyReservation
}

/** The memory of one request body, from its first byte until the request ends. */
export interface BodyReservation {
  /** Adds received bytes. Returns undefined to continue reading, or a promise to await first. */
  add(bytes: number): Promise<void> | undefined
  release(): void
}

/** Measures how long a response waits for its client to read: from `begin` to `end`. */
export interface ClientWait {
  begin(): void
  end(): void
}

/** Limits the total bytes of responses that wait for their clients. Aborts some of these responses when the limit is exceeded. */
export interface UnreadAnswers {
  /** Counts `bytes` of a response to `user` until the returned function is called. */
  add(user: string, outgoing: Outgoing, bytes: number): () => void
}
