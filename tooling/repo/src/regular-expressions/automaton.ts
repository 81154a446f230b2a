/**
 * A regular expression as a nondeterministic automaton. It has a node for each position in the pattern. Edges read a character or nothing.
 * Lookaheads and lookbehinds become branches without an end, so that repetitions in them are checked too.
 */
export interface Automaton {
  readonly nodes: readonly Node[]
  readonly start: number
  readonly accept: number
  readonly isAnchored: boolean
}

export interface Node {
  /** Edges that read no character. A `conditional` edge depends on an assertion. */
  readonly passes: { readonly to: number; readonly conditional: boolean; readonly onlyAtStart: boolean }[]
  /** Edges that read one character. `set` is a regular expression that matches the character. */
  readonly reads: { readonly to: number; readonly set: string }[]
}

/** Maximum number of copies of a repeated part. A repetition with a higher maximum is treated as unlimited. */
const maxCopies = 8

/** Parses a JavaScript pattern. Does not support nested classes of the flag v. */
export function buildAutomaton({ source, flags }: RegExp): Automaton {
  return new Builder(source, flags).build()
}

class Builder {
  readonly #source: string
  readonly #isMultiline: boolean
  readonly #isSticky: boolean
  readonly #isUnicode: boolean
  readonly #nodes: Node[] = []
  #at = 0

  constructor(source: string, flags: string) {
    this.#source = source
    this.#isMultiline = flags.includes('m')
    this.#isSticky = flags.includes('y')
    this.#isUnicode = /[uv]/.test(flags)
  }

  build(): Automaton {
    const start = this.#node()
    const accept = this.#alternatives(start)
    if (this.#at !== this.#source.length) throw new Error(`cannot parse the pattern /${this.#source}/ from position ${this.#at}`)
    return { nodes: this.#nodes, start, accept, isAnchored: this.#isSticky }
  }

  #node(): number {
    return this.#nodes.push({ passes: [], reads: [] }) - 1
  }

  #pass(from: number, to: number, { conditional = false, onlyAtStart = false } = {}): void {
    this.#nodes[from]!.passes.push({ to, conditional, onlyAtStart })
  }

  #is(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = new RegExp(pattern.source, 'suy').exec.call(
      Object.assign(new RegExp(pattern.source, 'suy'), { lastIndex: this.#at }),
      this.#source,
    )
    if (match === null) return undefined
    this.#at += match[0].length
    return match
  }

  #alternatives(from: number): number {
    const end = this.#node()
    do this.#pass(this.#sequence(this.#branch(from)), end)
    while (this.#take(/\|/) !== undefined)
    return end
  }

  #branch(from: number): number {
    const node = this.#node()
    this.#pass(from, node)
    return node
  }

  #sequence(from: number): number {
    let at = from
    while (this.#at < this.#source.length && !this.#is('|') && !this.#is(')')) at = this.#term(at)
    return at
  }

  #term(from: number): number {
    const begin = this.#at
    const behind = this.#atom(from)
    const quantifier = this.#take(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/)
    if (quantifier === undefined) return behind
    const [, sign, least, comma, most] = quantifier
    const min = sign === '+' ? 1 : sign === undefined ? Number(least) : 0
    const max = sign === '?' ? 1 : sign !== undefined || most === '' ? Infinity : comma === undefined ? min : Number(most)
    const end = this.#at
    const copy = (at: number): number => {
      this.#at = begin
      return this.#atom(at)
    }
    // The atom was parsed once to find its quantifier. That copy is not connected to the automaton.
    let at = this.#branch(from)
    this.#nodes[from]!.passes.splice(0, this.#nodes[from]!.passes.length, ...this.#nodes[from]!.passes.filter(({ to }) => to === at))
    this.#nodes[from]!.reads.length = 0
    const required = Math.min(min, maxCopies)
    for (let i = 0; i < required; i++) at = copy(at)
    if (max - min > maxCopies) {
      const loop = this.#node()
      this.#pass(at, loop)
      this.#pass(copy(loop), loop)
      at = this.#branch(loop)
    } else {
      const exits = [at]
      for (let i = min; i < max; i++) exits.push((at = copy(at)))
      const out = this.#node()
      for (const exit of exits) this.#pass(exit, out)
      at = out
    }
    this.#at = end
    return at
  }

  /** Starts the atom at a new node, so that `from` has no other outgoing edges. */
  #atom(before: number): number {
    const from = this.#branch(before)
    const to = this.#node()
    if (this.#take(/\^/) !== undefined) this.#pass(from, to, { conditional: true, onlyAtStart: !this.#isMultiline })
    else if (this.#take(/\$|\\[bB]/) !== undefined) this.#pass(from, to, { conditional: true })
    else if (this.#take(/\\(?:k<[^>]*>|[1-9]\d*)/) !== undefined) this.#pass(from, to)
    else if (this.#is('(')) this.#group(from, to)
    else this.#nodes[from]!.reads.push({ to, set: this.#set() })
    return to
  }

  #group(from: number, to: number): void {
    const assertion = this.#take(/\(\?<?[=!]/)
    if (assertion === undefined) this.#take(/\((?:\?(?::|<[^>]*>))?/)
    const start = this.#alternatives(from)
    if (this.#take(/\)/) === undefined) throw new Error(`cannot parse a group of /${this.#source}/ at position ${this.#at}`)
    this.#pass(assertion === undefined ? start : from, to, { conditional: assertion !== undefined })
  }

  #set(): string {
    const escape = String.raw`\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)`
    const read = this.#take(new RegExp(String.raw`\[(?:${escape}|[^\]\\])*\]|${escape}|${this.#isUnicode ? '.' : String.raw`[\s\S]`}`))
    if (read === undefined) throw new Error(`cannot parse the pattern /${this.#source}/ at position ${this.#at}`)
    return read[0]
  }
}
