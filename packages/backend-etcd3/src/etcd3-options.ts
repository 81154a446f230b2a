import type { Duplex } from 'node:stream'
import type { Clock } from '@keelson/apimachinery'
import type { QueueLimits, TransportConfig } from '@keelson/storagebackend'

/** Opens the connection to an etcd server in the driver's place: through a tunnel, a proxy, another network. TLS is put on top of it. */
export type Egress = (host: string, port: number) => Promise<Duplex>

export interface Etcd3Options {
  /** The servers, and the files of the TLS that they want. One is used at a time; the next one when it fails. */
  readonly transport: TransportConfig
  /** Only for the health check, which reads a key below it. Default "/registry". */
  readonly prefix?: string
  /** Milliseconds between compactions, by whichever of the servers on this etcd comes first. 0: none by this one. Default 5 minutes. */
  readonly compactionInterval?: number
  readonly egress?: Egress
  /** How long opening waits for a first answer. Default 20 s. */
  readonly connectTimeout?: number
  /** How long one call may take. Default 8 s. */
  readonly callTimeout?: number
  /** How long calls are tried again, and an unknown outcome is looked into. Default 15 s. */
  readonly patience?: number
  /** Default 2 s. */
  readonly healthTimeout?: number
  /** Keys per read of a large range. Default 10,000. */
  readonly pageSize?: number
  /** Milliseconds after which a silent watch asks how far it is. Default 10 s. */
  readonly progressInterval?: number
  /** How much may wait for one watch's reader before the watch is ended. Default 100,000 changes, 64 MB. */
  readonly watchQueue?: Partial<QueueLimits>
  readonly clock?: Clock
  /** 0 is what an operator must see, higher is more talkative. Default: silent. */
  readonly log?: (level: number, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type Settings = Required<Omit<Etcd3Options, 'egress' | 'watchQueue'>> & {
  readonly egress: Egress | undefined
  readonly watchQueue: QueueLimits
}
