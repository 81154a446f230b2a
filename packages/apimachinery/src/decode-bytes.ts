const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const alphabet = /[A-Za-z0-9+/]/
const unusedBits = /[^AQgw]==$|[^AEIMQUYcgkosw048]=$/

/** Normalizes base64 as Go decodes and encodes it. A number is the offset of the first invalid byte. Skips line breaks, as Go does. */
export function normalizeBase64(text: string): string | number {
  if (canonical.test(text)) return unusedBits.test(text) ? Buffer.from(text, 'base64').toString('base64') : text
  const invalidOffset = offsetOfError(text)
  return invalidOffset ?? Buffer.from(text.replace(/[\r\n]/g, ''), 'base64').toString('base64')
}

/** Returns the offset N in Go's `illegal base64 data at input byte N`. */
function offsetOfError(text: string): number | undefined {
  const input = Buffer.from(text)
  let at = 0
  const next = (): string | undefined => {
    while (at < input.length && (input[at] === 0x0a || input[at] === 0x0d)) at++
    return at < input.length ? String.fromCharCode(input[at++]!) : undefined
  }
  for (;;) {
    for (let j = 0; j < 4; j++) {
      const c = next()
      if (c === undefined) return j === 0 ? undefined : at - j
      if (alphabet.test(c)) continue
      if (c !== '=' || j < 2) return at - 1
      if (j === 2) {
        const second = next()
        if (second === undefined) return input.length
        if (second !== '=') return at - 2
      }
      const rest = next()
      return rest === undefined ? undefined : at - 1
    }
  }
}
