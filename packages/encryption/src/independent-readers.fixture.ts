import { createDecipheriv, createHmac } from 'node:crypto'

// Independent implementations of decryption that read written values. They share no code with the package.

export function readAesGcm(key: Uint8Array, stored: Buffer, path: string): Buffer {
  const decipher = createDecipheriv(
    key.length === 32 ? 'aes-256-gcm' : key.length === 24 ? 'aes-192-gcm' : 'aes-128-gcm',
    key,
    stored.subarray(0, 12),
  )
  decipher.setAAD(Buffer.from(path)).setAuthTag(stored.subarray(-16))
  return Buffer.concat([decipher.update(stored.subarray(12, -16)), decipher.final()])
}

export function readAesCbc(key: Uint8Array, stored: Buffer): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, stored.subarray(0, 16)).setAutoPadding(false)
  const padded = Buffer.concat([decipher.update(stored.subarray(16)), decipher.final()])
  return padded.subarray(0, padded.length - padded.at(-1)!)
}

export function readExtendedNonceGcm(seed: Uint8Array, stored: Buffer, path: string): Buffer {
  const key = createHmac('sha256', seed)
    .update(Buffer.concat([stored.subarray(0, 32), Buffer.of(1)]))
    .digest()
  return readAesGcm(key, stored.subarray(32), path)
}

/** Decrypts a value of NaCl's secretbox. Implemented from the specifications of Salsa20 and Poly1305, and slow. */
export function readSecretbox(key: Buffer, stored: Buffer): Buffer {
  const nonce = stored.subarray(0, 24)
  const tag = stored.subarray(24, 40)
  const ciphertext = stored.subarray(40)
  const blocks = computeSalsaBlocks(computeHsalsa(key, nonce.subarray(0, 16)), nonce.subarray(16), 32 + ciphertext.length)
  if (!computePoly1305(blocks.subarray(0, 32), ciphertext).equals(tag)) throw new Error('not authentic')
  return Buffer.from(ciphertext.map((byte, at) => byte ^ blocks[32 + at]!))
}

const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]

function readWords(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4))
}

function createState(key: number[], middle: number[]): number[] {
  return [sigma[0]!, ...key.slice(0, 4), sigma[1]!, ...middle, sigma[2]!, ...key.slice(4), sigma[3]!]
}

function computeRounds(input: number[]): number[] {
  const x = [...input]
  const mixQuarter = (a: number, b: number, c: number, d: number): void => {
    const mix = (to: number, p: number, q: number, by: number): void => {
      const sum = (x[p]! + x[q]!) >>> 0
      x[to] = (x[to]! ^ ((sum << by) | (sum >>> (32 - by)))) >>> 0
    }
    mix(b, a, d, 7)
    mix(c, b, a, 9)
    mix(d, c, b, 13)
    mix(a, d, c, 18)
  }
  for (let round = 0; round < 10; round++) {
    mixQuarter(0, 4, 8, 12)
    mixQuarter(5, 9, 13, 1)
    mixQuarter(10, 14, 2, 6)
    mixQuarter(15, 3, 7, 11)
    mixQuarter(0, 1, 2, 3)
    mixQuarter(5, 6, 7, 4)
    mixQuarter(10, 11, 8, 9)
    mixQuarter(15, 12, 13, 14)
  }
  return x
}

function toBytes(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4)
  return bytes
}

function computeHsalsa(key: Buffer, nonce: Buffer): Buffer {
  const z = computeRounds(createState(readWords(key), readWords(nonce)))
  return toBytes([0, 5, 10, 15, 6, 7, 8, 9].map((at) => z[at]!))
}

function computeSalsaBlocks(key: Buffer, nonce: Buffer, length: number): Buffer {
  const blocks: Buffer[] = []
  for (let counter = 0; counter * 64 < length; counter++) {
    const input = createState(readWords(key), [...readWords(nonce), counter, 0])
    blocks.push(toBytes(computeRounds(input).map((value, at) => (value + input[at]!) >>> 0)))
  }
  return Buffer.concat(blocks)
}

function computePoly1305(key: Buffer, message: Buffer): Buffer {
  const readLittleEndian = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`)
  const r = readLittleEndian(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn
  let sum = 0n
  for (let at = 0; at < message.length; at += 16) {
    sum = ((sum + readLittleEndian(Buffer.concat([message.subarray(at, at + 16), Buffer.of(1)]))) * r) % ((1n << 130n) - 5n)
  }
  const tag = (sum + readLittleEndian(key.subarray(16))) & ((1n << 128n) - 1n)
  return Buffer.from(tag.toString(16).padStart(32, '0'), 'hex').reverse()
}
