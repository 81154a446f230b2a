import type { Exchange, Upgrade } from '@keelson/exchange'

/** A request that is forwarded to another server. */
export interface Passage {
  readonly exchange: Exchange
  /** Signal that aborts when the server stops. */
  readonly stopping: AbortSignal
}

/** A forwarded request that changes the protocol. */
export interface UpgradePassage extends Passage {
  readonly upgrade: Upgrade
}
