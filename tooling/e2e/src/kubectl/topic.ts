import type { Session, Step } from './session.ts'

/** Scenarios of one topic by name. A scenario is a list of commands or a function. */
export type Topic = Readonly<Record<string, readonly Step[] | ((session: Session) => Promise<void>)>>
