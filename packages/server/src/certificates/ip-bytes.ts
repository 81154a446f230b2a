import { isIPv4 } from 'node:net'

/** Returns the 4 or 16 bytes of an IP address. */
export function parseIpBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  let text = address.split('%', 1)[0]!
  const dotted = text.slice(text.lastIndexOf(':') + 1)
  if (dotted.includes('.')) {
    const [a, b, c, d] = dotted.split('.').map(Number)
    text = text.slice(0, -dotted.length) + ((a! << 8) | b!).toString(16) + ':' + ((c! << 8) | d!).toString(16)
  }
  const [before, after] = text.split('::')
  const head = before === '' ? [] : before!.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const groups = after === undefined ? head : [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.from(groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]))
}

/** Returns the first usable address of a range such as "10.0.0.0/16". The `kubernetes` service has this address. */
export function computeFirstServiceIp(cidr: string): string | undefined {
  const [address, bits] = cidr.split('/')
  if (address === undefined || bits === undefined || !isIPv4(address)) return undefined
  const mask = Number(bits) === 0 ? 0 : (0xffffffff << (32 - Number(bits))) >>> 0
  const first = ((parseIpBytes(address).readUInt32BE() & mask) >>> 0) + 1
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(first >>> 0)
  return [...bytes].join('.')
}
