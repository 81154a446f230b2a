import type { Duplex } from 'node:stream'
import type { Clock } from '@keelson/apimachinery'
import type { QueueLimits, TransportConfig } from '@keelson/storagebackend'

/**
 * Opens the connection to an etcd server, for example through a tunnel, a proxy or another network. If TLS is configured, it is used over this
 * connection. `signal` aborts only the opening.
 */
export type Egress = (host: string, port: number, signal: AbortSignal) => Promise<Duplex>

export interface Etcd3Options {
  /** The etcd servers and their TLS files. One server is used at a time. If it fails, the next one is used. */
  readonly transport: TransportConfig
  /** Prefix of the key that the health check reads. Default: "/registry". */
  readonly prefix?: string
  /**
   * Interval between compactions in milliseconds. All servers on the same etcd share the compactions. 0 disables compaction by this server.
   * Default: 5 minutes.
   */
  readonly compactionInterval?: number
  readonly egress?: Egress
  /** Timeout in milliseconds for the first response of etcd when the backend is opened. Default: 20 s. */
  readonly connectTimeout?: number
  /** Timeout of one call in milliseconds. Default: 8 s. */
  readonly callTimeout?: number
  /** Maximum time in milliseconds for the retries of a call, and for determining the outcome of a write. Default: 15 s. */
  readonly retryTimeout?: number
  /** Timeout of a health check in milliseconds. Default: 2 s. */
  readonly healthTimeout?: number
  /** Number of keys in one read of a large range. Default: 10,000. */
  readonly pageSize?: number
  /** Time in milliseconds without events after which a watch requests its progress. Default: 10 s. */
  readonly progressInterval?: number
  /** Limits for the unread changes of a watch. A watch that exceeds them ends. Default: 100,000 changes and 64 MB. */
  readonly watchQueue?: Partial<QueueLimits>
  readonly clock?: Clock
  /** Logs a message. Level 0 is for operators, and higher levels are more verbose. Default: no logging. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type Settings = Required<Omit<Etcd3Options, 'egress' | 'watchQueue'>> & {
  readonly egress: Egress | undefined
  readonly watchQueue: QueueLimits
}
