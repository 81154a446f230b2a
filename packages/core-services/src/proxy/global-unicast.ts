import { parseIP } from '@keelson/resources-core'

/**
 * Returns whether this server may connect to the address for a client. Excludes loopback, link-local (such as cloud metadata services),
 * multicast, broadcast and unspecified addresses. Private networks are allowed, because pods and nodes are there.
 */
export function isGlobalUnicast(address: string): boolean {
  const ip = parseIP(address)
  if (ip === undefined) return false
  const { bytes, family } = ip
  const [a, b] = family === 4 ? bytes.slice(12) : bytes
  if (family === 4) {
    const isBroadcast = bytes.slice(12).every((byte) => byte === 255)
    return !(
      isBroadcast ||
      a === 127 ||
      (a === 169 && b === 254) ||
      (a! >= 224 && a! <= 239) ||
      bytes.slice(12).every((byte) => byte === 0)
    )
  }
  const isLoopback = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1
  return !(isLoopback || a === 0xff || (a === 0xfe && (b! & 0xc0) === 0x80))
}
