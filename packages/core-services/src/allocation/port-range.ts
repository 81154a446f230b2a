import { computeStaticBandSize } from './static-band.ts'

export interface PortRange {
  readonly first: number
  readonly last: number
}

/** Parses `30000-32767`, `30000+2767` or `30000`. Throws if invalid. */
export function parsePortRange(text: string): PortRange {
  const [, low = '', sign, high = ''] = /^\s*(\d{1,6})(?:([-+])(\d{1,6}))?\s*$/.exec(text) ?? []
  if (low === '') throw new Error(`unable to parse port range: ${text}`)
  const first = Number(low)
  const last = sign === undefined ? first : sign === '-' ? Number(high) : first + Number(high)
  if (first > 65_535 || last > 65_535) throw new Error(`the port range cannot be greater than 65535: ${text}`)
  if (last < first) throw new Error(`end port cannot be less than start port: ${text}`)
  return { first, last }
}

export function formatPortRange({ first, last }: PortRange): string {
  return `${first}-${last}`
}

export function isInPortRange({ first, last }: PortRange, port: number): boolean {
  return port >= first && port <= last
}

/**
 * Returns the size of the static band, which are the first ports of the range. Dynamic allocation uses them last, so that users can choose
 * them.
 */
export function computePortStaticBand({ first, last }: PortRange): number {
  return computeStaticBandSize(last - first + 1, { min: 16, max: 128, divisor: 32 })
}
