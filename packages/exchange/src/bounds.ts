import type { Outgoing } from './node-streams.ts'

/** Limits the bytes of request bodies that are held at the same time. */
export interface BodyBudget {
  hold(user: string): HeldBody
}

/** A request body, from its first byte until its request is over. */
export interface HeldBody {
  /** Undefined: read on. A promise: read on when it resolves. */
  add(bytes: number): Promise<void> | undefined
  release(): void
}

/** Notified when a response waits for its client to read (`begin`), and when it goes on (`end`). */
export interface ClientWait {
  begin(): void
  end(): void
}

/** Limits the bytes of responses that wait for their clients to read. Breaks off some of these responses when too many bytes wait. */
export interface UnreadAnswers {
  /** Counts `bytes` of a response to `user` until the returned function is called. */
  add(user: string, outgoing: Outgoing, bytes: number): () => void
}
