import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ServerChainOptions } from './server-chain-options.ts'

/** Where a client on this machine reaches a server that is bound to `host`. */
export function reachableAddress(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
}

/** Where others reach it: as told, else what it is bound to, else this machine's first address. */
export function advertiseAddress({ advertiseAddress: told, bindAddress = '127.0.0.1' }: ServerChainOptions): string {
  if (told !== undefined) return told
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress
  return outwardAddress() ?? '127.0.0.1'
}

/** As endpoints of the kubernetes service: what others cannot reach is replaced by this machine's first address, if it has one. */
export function endpointAddress(options: ServerChainOptions): string | undefined {
  const advertised = advertiseAddress(options)
  return isLoopback(advertised) ? outwardAddress() : advertised
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

function outwardAddress(): string | undefined {
  const outward = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, family }) => !internal && family === 'IPv4'),
  )
  return outward[0]?.address
}

/** As it stands in a URL. */
export function bracketed(address: string): string {
  return isIPv6(address) ? `[${address}]` : address
}
