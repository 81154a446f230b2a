import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { servingDefaults } from './options/serving.ts'
import type { ServingOptions } from './options/serving.ts'

/** Returns the address by which a client on this machine reaches a server bound to `host`. */
export function findReachableAddress(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
}

export function getBindAddress({ bindAddress = servingDefaults.bindAddress }: ServingOptions = {}): string {
  return bindAddress
}

/**
 * Returns the address by which other machines reach the server: the advertise address, or else the bind address, or else the first external
 * address.
 */
export function advertiseAddress(options: ServingOptions = {}): string {
  if (options.advertiseAddress !== undefined) return options.advertiseAddress
  const bindAddress = getBindAddress(options)
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress
  return findFirstExternalAddress() ?? '127.0.0.1'
}

/**
 * Returns the address for the endpoints of the kubernetes service. Loopback addresses do not qualify; returns undefined if there is no
 * other address.
 */
export function findEndpointAddress(options: ServingOptions | undefined): string | undefined {
  const advertised = advertiseAddress(options)
  return isLoopback(advertised) ? findFirstExternalAddress() : advertised
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

function findFirstExternalAddress(): string | undefined {
  const external = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, family }) => !internal && family === 'IPv4'),
  )
  return external[0]?.address
}

/** Formats an address for a URL: IPv6 addresses get brackets. */
export function formatUrlHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address
}
