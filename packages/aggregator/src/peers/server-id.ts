import { createHash } from 'node:crypto'

/**
 * Returns the name of an API server: "apiserver-" and a hash of the name of its machine. It is the same as that of kube-apiserver on this
 * machine, so an API server that replaces another one takes over its leases.
 */
export function createServerId(hostname: string): string {
  const sized = [hostname, 'kube-apiserver'].flatMap((text) => {
    const bytes = Buffer.from(text)
    return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]
  })
  return `apiserver-${encodeBase32(createHash('sha256').update(Buffer.concat(sized)).digest().subarray(0, 16))}`
}

function encodeBase32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
