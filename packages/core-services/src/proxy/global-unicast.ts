import { parseIP } from '@keelson/resources-core'

/**
 * May this server be sent there? Not to itself, nor to what only its own link knows (metadata of clouds among them), nor to many at once.
 * Private networks are where pods and nodes live.
 */
export function isGlobalUnicast(address: string): boolean {
  const ip = parseIP(address)
  if (ip === undefined) return false
  const { bytes, family } = ip
  const [a, b] = family === 4 ? bytes.slice(12) : bytes
  if (family === 4) {
    const broadcast = bytes.slice(12).every((byte) => byte === 255)
    return !(broadcast || a === 127 || (a === 169 && b === 254) || (a! >= 224 && a! <= 239) || bytes.slice(12).every((byte) => byte === 0))
  }
  const loopback = bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15]! <= 1
  return !(loopback || a === 0xff || (a === 0xfe && (b! & 0xc0) === 0x80))
}
