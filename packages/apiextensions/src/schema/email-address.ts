import { parseAddress } from '@keelson/cel'

/** Returns whether a text is one email address, with or without a display name, as Go's mail.ParseAddress reads it (RFC 5322). */
export function isEmail(text: string): boolean {
  return new AddressReader(text).isSingleAddress()
}

/** Reads an address from left to right. The methods return false, and may move the position, if the text does not match. */
class AddressReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isSingleAddress(): boolean {
    return this.#readAddress(true) === 1 && this.#skipComments() && this.#at === this.#text.length
  }

  /** Reads a mailbox or a group. Returns the number of its addresses; 0 for invalid text. */
  #readAddress(mayBeGroup: boolean): number {
    this.#skipSpace()
    if (this.#at === this.#text.length) return 0
    const start = this.#at
    if (this.#readAddressSpec()) {
      this.#skipSpace()
      return this.#peek() !== '(' || this.#readComment() ? 1 : 0
    }
    this.#at = start
    if (this.#peek() !== '<' && !this.#readPhrase()) return 0
    this.#skipSpace()
    if (mayBeGroup && this.#consume(':')) return this.#group()
    return this.#consume('<') && this.#readAddressSpec() && this.#consume('>') ? 1 : 0
  }

  #group(): number {
    this.#skipSpace()
    if (this.#consume(';')) return 0
    for (let count = 0; ;) {
      if (this.#readAddress(false) === 0) return 0
      count++
      if (!this.#skipComments()) return 0
      if (this.#consume(';')) return this.#skipComments() ? count : 0
      if (!this.#consume(',')) return 0
    }
  }

  #readAddressSpec(): boolean {
    this.#skipSpace()
    const isQuoted = this.#peek() === '"'
    const isLocalPart = isQuoted ? (this.#readQuotedString() ?? 0) > 0 : this.#readAtom(false)
    if (!isLocalPart || !this.#consume('@')) return false
    this.#skipSpace()
    return this.#peek() === '[' ? this.#readDomainLiteral() : this.#readAtom(false)
  }

  /** Reads the words of a display name. At least the first must be valid. */
  #readPhrase(): boolean {
    for (let count = 0; ; count++) {
      if (count > 0 && !this.#skipComments()) return false
      this.#skipSpace()
      const isWord = this.#peek() === '"' ? this.#readQuotedString() !== undefined : this.#readAtom(true)
      if (!isWord) return count > 0 || this.#at === this.#text.length
    }
  }

  /** Reads a string in quotes and returns its length. Does not move if the string is invalid. */
  #readQuotedString(): number | undefined {
    let length = 0
    for (let at = this.#at + 1; at < this.#text.length; at++, length++) {
      let character = this.#text[at]!
      if (character === '"') {
        this.#at = at + 1
        return length
      }
      if (character === '\\') character = this.#text[++at] ?? ''
      if (!isVisible(character) && !isSpace(character)) return undefined
    }
    return undefined
  }

  /** Reads an atom with dots. In display names, the dots may be anywhere. */
  #readAtom(isWord: boolean): boolean {
    const start = this.#at
    while (isAtomCharacter(this.#peek())) this.#at++
    const atom = this.#text.slice(start, this.#at)
    return atom !== '' && (isWord || !(atom.startsWith('.') || atom.endsWith('.') || atom.includes('..')))
  }

  #readDomainLiteral(): boolean {
    const end = this.#text.indexOf(']', this.#at)
    if (end < 0) return false
    const literal = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    try {
      return parseAddress(literal).zone === ''
    } catch {
      return false
    }
  }

  #skipComments(): boolean {
    this.#skipSpace()
    while (this.#peek() === '(') {
      if (!this.#readComment()) return false
      this.#skipSpace()
    }
    return true
  }

  #readComment(): boolean {
    let depth = 0
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]!
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at++
      else if (character === '(') depth++
      else if (character === ')' && --depth === 0) {
        this.#at++
        return true
      }
    }
    return false
  }

  #consume(character: string): boolean {
    const isNext = this.#peek() === character
    if (isNext) this.#at++
    return isNext
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #skipSpace(): void {
    while (isSpace(this.#peek())) this.#at++
  }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t'
}

function isVisible(character: string): boolean {
  return character > ' ' && character !== '\u007f'
}

function isAtomCharacter(character: string): boolean {
  return isVisible(character) && !'()<>[]:;@\\,"'.includes(character)
}
