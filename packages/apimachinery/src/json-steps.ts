import { endOfString } from './json-scan.ts'
import { setOwn } from './set-own.ts'
import type { JsonValue } from './meta.ts'
import type { Task } from './task.ts'

/** Length of the text that is parsed in one step. Parsing it takes about a millisecond. */
const defaultLength = 32 * 1024
/** Length from which a text is divided. */
export const dividedLength: number = 2 * defaultLength
/** Maximum nesting of lists and objects that are divided. */
const maxDividedDepth = 64

/** A list or object that is open at a position of a text. */
interface OpenValue {
  readonly isList: boolean
  /** Position of the name under which an object has this value; -1 for items of lists, and for the outermost value. */
  readonly nameAt: number
}

/**
 * Parses JSON with the result of JSON.parse, but yields after each piece of a long text. Each piece is made valid JSON with the brackets that are
 * open at its begin and at its end, and the values of all pieces are joined. Throws the error of JSON.parse for invalid text.
 *
 * The result can differ for an object that has a name twice: the values of that name may be joined, where JSON.parse returns the last one.
 * `parseJsonRequest` notices duplicate names, and then reads the values with the exact parser.
 *
 * @example
 * {"a":1,"list":[1,2,|3],"b":2}   is divided at the mark into
 * {"a":1,"list":[1,2]}   and
 * {"list":[3],"b":2}
 */
export function* parseJsonStepwise(text: string, pieceLength: number = defaultLength): Task<JsonValue> {
  if (text.length < 2 * pieceLength) return JSON.parse(text) as JsonValue
  let joined: JsonValue | undefined
  /** The values that are open at the begin of the piece. */
  let before: readonly OpenValue[] = []
  let start = 0
  for (const { end, open } of findPieces(text, pieceLength)) {
    const piece = text.slice(start, end)
    if (!endsWithMember(piece)) return JSON.parse(text) as JsonValue
    const value = parsePiece(text, piece, { before, after: open })
    if (value === undefined) return JSON.parse(text) as JsonValue
    joined = joined === undefined ? value : joinValues(joined, value, nameValues(text, before))
    before = open
    start = end + 1
    yield
  }
  const last = text.slice(start)
  const value = start === 0 || /^\s*[\]}]/.test(last) ? undefined : parsePiece(text, last, { before, after: [] })
  return value === undefined ? (JSON.parse(text) as JsonValue) : joinValues(joined!, value, nameValues(text, before))
}

/** Finds the commas at which a text is divided, and the values that are open there. Does not notice that a text is invalid. */
function* findPieces(text: string, pieceLength: number): Generator<{ readonly end: number; readonly open: readonly OpenValue[] }> {
  const open: OpenValue[] = []
  let next = pieceLength
  let stringAt = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === 0x22) {
      stringAt = at
      at = endOfString(text, at + 1)
    } else if (c === 0x7b || c === 0x5b) {
      open.push({ isList: c === 0x5b, nameAt: open.at(-1)?.isList === false ? stringAt : -1 })
    } else if (c === 0x7d || c === 0x5d) open.pop()
    else if (c === 0x2c && at >= next && open.length > 0 && open.length <= maxDividedDepth) {
      yield { end: at, open: [...open] }
      next = at + pieceLength
    }
  }
}

/** Returns whether a piece ends with a value. Otherwise, closing its brackets would make invalid text valid. */
function endsWithMember(piece: string): boolean {
  const last = piece.trimEnd().at(-1)
  return last !== undefined && !'[{,:'.includes(last) && !/^\s*[\]}]/.test(piece)
}

interface Ends {
  /** The values that are open at the begin of a piece. */
  readonly before: readonly OpenValue[]
  /** The values that are open at its end. */
  readonly after: readonly OpenValue[]
}

/** Parses a piece of a text. Returns undefined if it is invalid. */
function parsePiece(text: string, piece: string, { before, after }: Ends): JsonValue | undefined {
  let head = ''
  for (const { isList, nameAt } of before) head += `${nameAt < 0 ? '' : `${readName(text, nameAt)}:`}${isList ? '[' : '{'}`
  let tail = ''
  for (const { isList } of after) tail = `${isList ? ']' : '}'}${tail}`
  try {
    return JSON.parse(head + piece + tail) as JsonValue
  } catch {
    return undefined
  }
}

function readName(text: string, at: number): string {
  return text.slice(at, endOfString(text, at + 1) + 1)
}

type Members = { [name: string]: JsonValue }

/** The value that an open list or object contains the begin of a piece in: the name of an open member, or undefined for the last item of a list. */
type OpenPath = readonly (string | undefined)[]

function nameValues(text: string, open: readonly OpenValue[]): OpenPath {
  return open.slice(1).map(({ nameAt }) => (nameAt < 0 ? undefined : (JSON.parse(readName(text, nameAt)) as string)))
}

/** Adds the value of a piece to that of the previous pieces. `path` leads to the innermost value that is open at the begin of the piece. */
function joinValues(joined: JsonValue, piece: JsonValue, path: OpenPath, depth = 0): JsonValue {
  // After duplicate names, the last value counts.
  if (typeof piece !== 'object' || piece === null || Array.isArray(piece) !== Array.isArray(joined)) return piece
  const isInnermost = depth === path.length
  if (Array.isArray(piece)) {
    const items = joined as JsonValue[]
    if (!isInnermost) items.push(joinValues(items.pop()!, piece[0]!, path, depth + 1))
    for (let i = isInnermost ? 0 : 1; i < piece.length; i++) items.push(piece[i]!)
    return items
  }
  const members = joined as Members
  const openName = isInnermost ? undefined : path[depth]
  for (const name in piece) {
    setOwn(members, name, name === openName ? joinValues(members[name]!, piece[name]!, path, depth + 1) : piece[name])
  }
  return members
}
