import type { Duplex } from 'node:stream'
import type { Clock } from '@keelson/apimachinery'
import type { QueueLimits, TransportConfig } from '@keelson/storagebackend'

/** Opens the connection to an etcd server, for example through a tunnel, a proxy or another network. The driver adds TLS on top. */
export type Egress = (host: string, port: number) => Promise<Duplex>

export interface Etcd3Options {
  /** The servers and their TLS files. The driver uses one server at a time, and the next one if it fails. */
  readonly transport: TransportConfig
  /** Prefix of the key that the health check reads. Default "/registry". */
  readonly prefix?: string
  /**
   * Milliseconds between compactions, which all servers on the same etcd share. 0 disables compaction by this server. Default 5 minutes.
   */
  readonly compactionInterval?: number
  readonly egress?: Egress
  /** Timeout for the first response when opening. Default 20 s. */
  readonly connectTimeout?: number
  /** Timeout of one call. Default 8 s. */
  readonly callTimeout?: number
  /** Maximum time for retries of a call, and for the search of an unknown outcome. Default 15 s. */
  readonly patience?: number
  /** Timeout of a health check. Default 2 s. */
  readonly healthTimeout?: number
  /** Keys per read of a large range. Default 10,000. */
  readonly pageSize?: number
  /** Idle time in milliseconds before a watch requests its progress. Default 10 s. */
  readonly progressInterval?: number
  /** Limits for the pending changes of a watch. Beyond them, the watch ends. Default 100,000 changes, 64 MB. */
  readonly watchQueue?: Partial<QueueLimits>
  readonly clock?: Clock
  /** Logger. Level 0 is for operators; higher levels are more verbose. Default: no logging. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type Settings = Required<Omit<Etcd3Options, 'egress' | 'watchQueue'>> & {
  readonly egress: Egress | undefined
  readonly watchQueue: QueueLimits
}
