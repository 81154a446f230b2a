import type { Exchange, Upgrade } from '@keelson/exchange'

/** A request that is passed on to another server. */
export interface Passage {
  readonly exchange: Exchange
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
}

/** A request that is passed on and changes the protocol. */
export interface UpgradePassage extends Passage {
  readonly upgrade: Upgrade
}
