// Indexes of header names in HTTP/2's static table.
const knownNames: Readonly<Record<string, number>> = { ':authority': 1, ':path': 4, accept: 19, authorization: 23, 'content-type': 31 }
const knownFields: Readonly<Record<string, number>> = {
  ':method GET': 2,
  ':method POST': 3,
  ':scheme https': 7,
  'accept-encoding gzip, deflate': 16,
}
const knownStatuses = [200, 204, 206, 304, 400, 404, 500]
const firstStatus = 8
const firstDynamic = 62

/**
 * Encodes the request headers of one HTTP/2 connection with HPACK. A repeated header takes one or two bytes. Paths are not added to the
 * dynamic table, because they differ in each request.
 */
export class HeaderEncoder {
  /** Entries of the connection's dynamic table, newest last. The few entries fit into the smallest table size. */
  readonly #dynamicTable: string[] = []

  encode(fields: readonly (readonly [name: string, value: string])[]): Buffer {
    const encodedFields: Buffer[] = []
    for (const [name, value] of fields) {
      const field = `${name} ${value}`
      const index = this.#dynamicTable.lastIndexOf(field)
      const tableIndex = knownFields[field] ?? (index < 0 ? undefined : firstDynamic + this.#dynamicTable.length - 1 - index)
      if (tableIndex !== undefined) {
        encodedFields.push(encodeInteger(0x80, 7, tableIndex))
        continue
      }
      const isIndexed = name !== ':path'
      if (isIndexed) this.#dynamicTable.push(field)
      const staticIndex = knownNames[name] ?? 0
      encodedFields.push(
        isIndexed ? encodeInteger(0x40, 6, staticIndex) : encodeInteger(0, 4, staticIndex),
        ...(staticIndex === 0 ? [encodeText(name)] : []),
        encodeText(value),
      )
    }
    return Buffer.concat(encodedFields)
  }
}

/**
 * Decodes the status in the response headers. Returns 599 for encodings that need the dynamic table. Servers encode 200 and the other
 * statuses of the static table in one byte.
 */
export function decodeStatus(block: Buffer): number {
  let at = 0
  // Skips an update of the dynamic table size, which may come first.
  while ((block[at]! & 0xe0) === 0x20) at += (block[at]! & 0x1f) === 0x1f ? getIntegerLength(block, at) : 1
  return knownStatuses[(block[at] ?? 0) - 0x80 - firstStatus] ?? 599
}

function getIntegerLength(block: Buffer, from: number): number {
  let at = from + 1
  while (block[at]! >= 0x80) at++
  return at + 1 - from
}

function encodeText(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([encodeInteger(0, 7, bytes.length), bytes])
}

function encodeInteger(start: number, bits: number, value: number): Buffer {
  const maximumPrefix = 2 ** bits - 1
  if (value < maximumPrefix) return Buffer.from([start | value])
  const bytes = [start | maximumPrefix]
  let remaining = value - maximumPrefix
  for (; remaining >= 0x80; remaining >>= 7) bytes.push((remaining & 0x7f) | 0x80)
  bytes.push(remaining)
  return Buffer.from(bytes)
}
