import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestContext } from '@keelson/apimachinery'
import type { InstallerContext, Upgrade } from '../context.ts'

/** A request on its way to somebody else. */
export interface Passage {
  readonly c: InstallerContext
  readonly context: RequestContext
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
}

/** One that is to change the protocol. */
export interface UpgradePassage extends Passage {
  readonly upgrade: Upgrade
}

/** HTTP/2 requests and responses are used here as HTTP/1.1's are. */
export function nodePair({ env }: InstallerContext): {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
} {
  if (env.nodePair !== undefined) {
    Object.assign(env, env.nodePair())
    delete env.nodePair
  }
  const { incoming, outgoing } = env
  if (incoming === undefined || outgoing === undefined) throw new Error('requests are passed on between node connections only')
  return { incoming: incoming as IncomingMessage, outgoing: outgoing as ServerResponse }
}
