/** Limit of all texts together, in characters. If they exceed it, each is truncated. */
const maxTotalLength = 4 * 1024
const truncatedLength = 256

/** The warnings of a response, with kube-apiserver's limits. */
export class Warnings {
  readonly #texts = new Set<string>()
  #headers: string[] = []
  #length = 0
  #isTruncating = false

  /** Adds a warning. Returns false if there is nothing new to send: the text is empty, repeated, not printable, or the limit was reached. */
  add(text: string): boolean {
    if (text === '' || this.#texts.has(text)) return false
    if (this.#isTruncating && this.#length >= maxTotalLength) return false
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f-\u009f]/.test(text)) return false
    this.#texts.add(text)
    if (this.#isTruncating || this.#length + measureEscaped(text) <= maxTotalLength) {
      this.#push(text)
      return true
    }
    this.#isTruncating = true
    this.#headers = []
    this.#length = 0
    for (const each of this.#texts) this.#push(each)
    return true
  }

  /** The values of the `Warning` headers. */
  get headers(): readonly string[] {
    return this.#headers
  }

  #push(text: string): void {
    const sentText = this.#isTruncating ? truncateText(text) : text
    this.#length += measureEscaped(sentText)
    this.#headers.push(`299 - ${quote(sentText)}`)
  }
}

/** Returns the number of Unicode characters. */
function measureEscaped(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xdc00 && unit <= 0xdfff) length--
  }
  return length
}

function truncateText(text: string): string {
  if (text.length <= truncatedLength) return text
  const characters = Array.from(text.slice(0, 2 * truncatedLength))
  return characters.slice(0, truncatedLength).join('')
}

/** Formats a text as a quoted string (RFC 7230). Its characters are encoded as UTF-8 bytes, because Node writes headers in Latin-1. */
function quote(text: string): string {
  return `"${Buffer.from(text.replace(/[\\"]/g, '\\$&'), 'utf8').toString('latin1')}"`
}
