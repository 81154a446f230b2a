const letter = /^\p{L}$/u
const digit = /^\p{Nd}$/u

/**
 * Compares the keys of a YAML map like go-yaml. Letters come after other characters. Numbers within keys are compared by value ("a2" before
 * "a10").
 */
export function compareKeys(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (let i = 0; i < left.length && i < right.length; i++) {
    if (left[i] !== right[i]) return compareFrom(left, right, i)
  }
  return left.length - right.length
}

function compareFrom(left: readonly string[], right: readonly string[], at: number): number {
  const a = left[at]!
  const b = right[at]!
  const aIsLetter = letter.test(a)
  const bIsLetter = letter.test(b)
  if (aIsLetter && bIsLetter) return compareCodes(a, b)
  if (aIsLetter || bIsLetter) return bIsLetter ? -1 : 1
  const zero = a === '0' || b === '0' ? readLeadingNumber(left, at) : 0n
  const [aNumber, aEnd] = numberFrom(left, at, zero)
  const [bNumber, bEnd] = numberFrom(right, at, zero)
  if (aNumber !== bNumber) return aNumber < bNumber ? -1 : 1
  return aEnd === bEnd ? compareCodes(a, b) : aEnd - bEnd
}

/**
 * Returns the start value for comparing the numbers at this position. It is 1 if the number has earlier digits other than zero, so that zeros at
 * this position are not treated as leading zeros.
 */
function readLeadingNumber(text: readonly string[], at: number): bigint {
  for (let i = at - 1; i >= 0 && digit.test(text[i]!); i--) if (text[i] !== '0') return 1n
  return 0n
}

function numberFrom(text: readonly string[], at: number, start: bigint): [value: bigint, end: number] {
  let value = start
  let end = at
  for (; end < text.length && digit.test(text[end]!); end++)
    value = BigInt.asIntN(64, value * 10n + BigInt(text[end]!.codePointAt(0)! - 0x30))
  return [value, end]
}

function compareCodes(a: string, b: string): number {
  return a.codePointAt(0)! - b.codePointAt(0)!
}
