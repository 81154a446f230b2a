import type { Session, Step } from './session.ts'

/** What a user does, by name: commands in turn, or more than that. */
export type Topic = Readonly<Record<string, readonly Step[] | ((session: Session) => Promise<void>)>>
