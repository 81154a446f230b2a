import { UndecodedObject } from '@keelson/apimachinery'

/**
 * A large member of the objects of a kind, which is decoded on first use. `path` leads from the object to the structs that have it as their only
 * member, with "*" for the items of a list.
 *
 * @example
 * { path: ['spec', 'versions', '*', 'schema'], member: 'openAPIV3Schema' }
 */
export interface LargeMember {
  readonly path: readonly string[]
  readonly member: string
  /** Parses the text of a struct with integers that a double may not represent. Default: JSON.parse, which rounds them. */
  readonly parseExactly?: ((text: string) => object) | undefined
}

/** The structs with large members of a stored body, in order. */
export type LargeStructs = readonly LargeStruct[]

interface LargeStruct {
  readonly start: number
  readonly end: number
  readonly struct: UndecodedObject
}

const code = { quote: 0x22, openList: 0x5b, escape: 0x5c, closeList: 0x5d, open: 0x7b, close: 0x7d }

/**
 * Finds the large members of a stored body by searching for the ends of strings and objects, which takes a fraction of the time for decoding
 * them.
 */
export function findLargeStructs(body: Uint8Array, { path, member, parseExactly }: LargeMember): LargeStructs {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const name = Buffer.from(`"${path.at(-1)!}":`)
  const start = Buffer.from(`{"${member}":{`)
  const structs: LargeStruct[] = []
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === code.open || c === code.openList) depth++
    else if (c === code.close || c === code.closeList) depth--
    else if (c === code.quote) {
      const valueAt = at + name.length
      if (depth !== path.length || !isTextAt(bytes, at, name) || !isTextAt(bytes, valueAt, start)) {
        at = endOfString(bytes, at)
        continue
      }
      const end = endOfValue(bytes, valueAt)
      structs.push({ start: valueAt, end, struct: new UndecodedObject(member, bytes.subarray(valueAt, end), { parseExactly }) })
      at = end - 1
    }
  }
  return structs
}

/** Decodes a body without decoding its large members. Returns undefined if its structs are not where `path` leads. Throws if it is not JSON. */
export function decodeAround<T>(body: Uint8Array, { path }: LargeMember, structs: LargeStructs): T | undefined {
  const object = JSON.parse(numberStructs(body, structs)) as T
  let replaced = 0
  const replace = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return
    const step = path[depth]!
    if (step === '*') {
      if (Array.isArray(value)) for (const item of value) replace(item, depth + 1)
      return
    }
    const members = value as { [name: string]: unknown }
    if (depth < path.length - 1) replace(members[step], depth + 1)
    else if (members[step] === replaced) members[step] = structs[replaced++]!.struct
  }
  replace(object, 0)
  return replaced === structs.length ? object : undefined
}

/** Returns the text of a body with a number in place of each struct. */
function numberStructs(body: Uint8Array, structs: LargeStructs): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const slices: string[] = []
  let keptUntil = 0
  for (const [n, { start, end }] of structs.entries()) {
    slices.push(bytes.toString('utf8', keptUntil, start), String(n))
    keptUntil = end
  }
  slices.push(bytes.toString('utf8', keptUntil))
  return slices.join('')
}

function isTextAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** Returns the index after an object or list that begins at `at`. */
function endOfValue(bytes: Buffer, at: number): number {
  let depth = 0
  for (; at < bytes.length; at++) {
    const c = bytes[at]
    if (c === code.quote) at = endOfString(bytes, at)
    else if (c === code.open || c === code.openList) depth++
    else if ((c === code.close || c === code.closeList) && --depth === 0) return at + 1
  }
  return at
}

/** Number of bytes that are compared one by one before a native search. Most strings are shorter. */
const stepsBeforeSearch = 24

/** Returns the index of the closing quote of the string that begins at `at`. */
function endOfString(bytes: Buffer, at: number): number {
  const stop = at + stepsBeforeSearch
  for (at++; at < stop; at++) {
    const c = bytes[at]
    if (c === code.quote || c === undefined) return at
    if (c === code.escape) at++
  }
  for (at = bytes.indexOf(code.quote, at); at >= 0; at = bytes.indexOf(code.quote, at + 1)) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === code.escape) escapes++
    if (escapes % 2 === 0) return at
  }
  return bytes.length
}
