/** Facts about valid JSON text, found in one pass without building a value. */
export interface JsonScan {
  /** The number of members in all objects, including duplicates. */
  readonly keys: number
  /** True if a number would lose its value or spelling as a double, or if an escaped surrogate may be unpaired. */
  readonly exact: boolean
  readonly depth: number
}

const surrogateEscape = /\\u[dD][89a-fA-F]/

/** Skips strings by searching for their end, so the cost is mostly in the text between them. */
export function scanJson(text: string): JsonScan {
  let keys = 0
  let exact = false
  let depth = 0
  let deepest = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 0x30 && c <= 0x39) {
      if (++digits > 15) exact = true
      continue
    }
    digits = 0
    if (c === 0x22) i = endOfString(text, i + 1)
    else if (c === 0x3a) keys++
    else if (c === 0x7b || c === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (c === 0x7d || c === 0x5d) depth--
    else if (c === 0x2e || c === 0x45 || (c === 0x2d && text.charCodeAt(i + 1) === 0x30)) exact = true
    else if (c === 0x65 && isDigit(text.charCodeAt(i - 1))) exact = true
  }
  return { keys, exact: exact || (text.includes('\\u') && surrogateEscape.test(text)), depth: deepest }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Returns the index of the closing quote of the string that starts at `from`. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  for (;;) {
    if (end < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
}

/** Counts the members of all objects; equals `JsonScan.keys` if there are no duplicates. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countKeys(item)
    return count
  }
  for (const key in value) {
    count++
    const member = (value as { [key: string]: unknown })[key]
    if (typeof member === 'object') count += countKeys(member)
  }
  return count
}
