import { isNumber, isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Options for several API servers on one store. */
export interface PeerOptions {
  /** PEM file with the CAs of the other API servers. Default: requests are not forwarded to other API servers of the cluster. */
  readonly authorityFile?: string
  /** Address at which other API servers reach this one. It needs `advertisePort`. Default: the advertise address and the port of the server. */
  readonly advertiseAddress?: string
  readonly advertisePort?: number
  /** Name of this machine. The servers on one store need different names. Default: the host name of the operating system. */
  readonly hostname?: string
}

export const peerChecks: OptionTable<PeerOptions> = {
  authorityFile: isString,
  advertiseAddress: isString,
  advertisePort: isNumber({ min: 1, max: 65_535, integer: true }),
  hostname: isString,
}
