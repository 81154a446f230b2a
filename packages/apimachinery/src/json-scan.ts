/** Facts about JSON text, found in one pass over the text. */
export interface JsonScan {
  /** Number of members of all objects, including duplicate keys. */
  readonly keys: number
  /** True if the text needs the exact reader: a double would change the value or spelling of a number, or an escaped surrogate may be unpaired. */
  readonly exact: boolean
  readonly depth: number
  readonly commas: number
  /** Number of lists and objects. */
  readonly containers: number
}

const surrogateEscape = /\\u[dD][89a-fA-F]/

/** Scans JSON text. The facts are undefined for invalid text. Skips over strings with a fast search, so most of the time is spent on the text between strings. */
export function scanJson(text: string): JsonScan {
  let keys = 0
  let exact = false
  let depth = 0
  let deepest = 0
  let digits = 0
  let commas = 0
  let containers = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 0x30 && c <= 0x39) {
      if (++digits > 15) exact = true
      continue
    }
    digits = 0
    if (c === 0x22) i = endOfString(text, i + 1)
    else if (c === 0x3a) keys++
    else if (c === 0x2c) commas++
    else if (c === 0x7b || c === 0x5b) {
      containers++
      deepest = Math.max(deepest, ++depth)
    } else if (c === 0x7d || c === 0x5d) depth--
    else if (c === 0x2e || c === 0x45 || (c === 0x2d && text.charCodeAt(i + 1) === 0x30)) exact = true
    else if (c === 0x65 && isDigit(text.charCodeAt(i - 1))) exact = true
  }
  return { keys, exact: exact || (text.includes('\\u') && surrogateEscape.test(text)), depth: deepest, commas, containers }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Returns the index of the closing quote of the string that starts at `from`. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  for (;;) {
    if (end < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
}
