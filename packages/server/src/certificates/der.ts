/**
 * An encoded DER element: tag, length and content. This file can encode only the ASN.1 types that a certificate needs. It cannot decode,
 * because `node:crypto` reads certificates.
 */
export type Der = Buffer

function encodeElement(tag: number, content: Uint8Array): Der {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const bytes: number[] = []
  for (let remaining = length; remaining > 0; remaining = Math.floor(remaining / 256)) bytes.unshift(remaining % 256)
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content])
}

export function encodeSequence(...elements: readonly Uint8Array[]): Der {
  return encodeElement(0x30, Buffer.concat(elements))
}

export function encodeSet(part: Uint8Array): Der {
  return encodeElement(0x31, part)
}

export function encodeBoolean(value: boolean): Der {
  return encodeElement(0x01, Buffer.from([value ? 0xff : 0]))
}

/** Encodes an unsigned integer, big endian. */
export function encodeInteger(bytes: Uint8Array): Der {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const significant = bytes.subarray(start)
  return encodeElement(0x02, significant[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), significant]) : significant)
}

/** Encodes a bit string. `unused` is the number of padding bits in the last byte. */
export function encodeBitString(bytes: Uint8Array, unused = 0): Der {
  return encodeElement(0x03, Buffer.concat([Buffer.from([unused]), bytes]))
}

export function encodeOctetString(bytes: Uint8Array): Der {
  return encodeElement(0x04, bytes)
}

export function encodeUtf8String(text: string): Der {
  return encodeElement(0x0c, Buffer.from(text, 'utf8'))
}

/** Encodes an object identifier, such as "2.5.29.17". */
export function encodeObjectIdentifier(dotted: string): Der {
  const [first, second, ...otherArcs] = dotted.split('.').map(Number)
  const bytes = [first! * 40 + second!]
  for (const arc of otherArcs) {
    const groups = [arc % 128]
    for (let remaining = Math.floor(arc / 128); remaining > 0; remaining = Math.floor(remaining / 128))
      groups.unshift(0x80 | (remaining % 128))
    bytes.push(...groups)
  }
  return encodeElement(0x06, Buffer.from(bytes))
}

/** Encodes a time. As RFC 5280 requires, times until 2049 become UTCTime and later ones GeneralizedTime. */
export function encodeTime(date: Date): Der {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050
    ? encodeElement(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : encodeElement(0x18, Buffer.from(digits, 'latin1'))
}

/** Encodes an explicit tag: a `[number]` element that contains complete elements. */
export function encodeExplicitTag(number: number, ...elements: readonly Uint8Array[]): Der {
  return encodeElement(0xa0 | number, Buffer.concat(elements))
}

/** Encodes an implicit tag: `[number]` replaces the tag of a primitive element. */
export function encodeImplicitTag(number: number, content: Uint8Array): Der {
  return encodeElement(0x80 | number, content)
}
