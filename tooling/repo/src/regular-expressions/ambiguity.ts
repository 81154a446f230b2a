import { buildAutomaton } from './automaton.ts'
import type { Automaton } from './automaton.ts'

/** A text that may be slow to match: `prefix`, followed by many repetitions of `pump`. */
export interface Witness {
  readonly prefix: string
  readonly pump: string
}

/** A state of the search: the automaton's states after reading a text, and the step before. */
interface Step {
  readonly to: number
  readonly characters: ReadonlySet<number>
  readonly ways: number
}

/** The state before the start of a match. */
const searching = -1
const maxVisited = 20_000

/**
 * Finds texts that a pattern can match in many ways. Two ways through one loop take exponential time, two loops in sequence quadratic time.
 * A search without `^` counts as a loop before the pattern. See https://doi.org/10.1016/0304-3975(91)90381-B (ambiguity of automata).
 */
export function findWitnesses(pattern: RegExp): readonly Witness[] {
  return new Search(pattern).witnesses()
}

class Search {
  readonly #automaton: Automaton
  readonly #alphabet: readonly string[]
  readonly #steps = new Map<number, readonly Step[]>()
  readonly #states: number[] = []

  constructor(pattern: RegExp) {
    this.#automaton = buildAutomaton(pattern)
    this.#alphabet = listAlphabet(pattern)
    const sets = new Map<string, ReadonlySet<number>>()
    const flags = pattern.flags.replace(/[gyd]/g, '')
    for (const { reads } of this.#automaton.nodes) {
      for (const { set } of reads) {
        if (sets.has(set)) continue
        const single = new RegExp(`^(?:${set})$`, flags.replace('m', ''))
        sets.set(set, new Set(this.#alphabet.flatMap((character, i) => (single.test(character) ? [i] : []))))
      }
    }
    this.#addState(searching, sets)
    for (let i = 0; i < this.#states.length; i++) for (const { to } of this.#steps.get(this.#states[i]!)!) this.#addState(to, sets)
  }

  #addState(state: number, sets: ReadonlyMap<string, ReadonlySet<number>>): void {
    if (this.#steps.has(state)) return
    this.#states.push(state)
    const { nodes, start, accept, isAnchored } = this.#automaton
    const steps = new Map<string, Step>()
    let accepts = false
    let budget = 3_000
    const walk = (node: number, path: readonly number[], conditional: boolean): void => {
      if (budget-- < 0) return
      if (node === accept && !conditional) accepts = true
      for (const { to, set } of nodes[node]!.reads) {
        const key = `${to} ${set}`
        steps.set(key, { to, characters: sets.get(set)!, ways: (steps.get(key)?.ways ?? 0) + 1 })
      }
      for (const pass of nodes[node]!.passes) {
        if (!path.includes(pass.to)) walk(pass.to, [...path, pass.to], conditional || pass.conditional)
      }
    }
    walk(state === searching ? start : state, [], false)
    const found = accepts ? [] : [...steps.values()]
    if (state === searching && !isAnchored && !this.#isPinned()) {
      found.push({ to: searching, characters: new Set(this.#alphabet.keys()), ways: 1 })
    }
    this.#steps.set(state, found)
  }

  /** Returns whether `^` pins every match to the start of the text. */
  #isPinned(): boolean {
    const { nodes, start } = this.#automaton
    const visited = new Set<number>()
    const reads = (node: number): boolean => {
      if (visited.has(node)) return false
      visited.add(node)
      return nodes[node]!.reads.length > 0 || nodes[node]!.passes.some(({ to, onlyAtStart }) => !onlyAtStart && reads(to))
    }
    return !reads(start)
  }

  witnesses(): readonly Witness[] {
    const witnesses: Witness[] = []
    const prefixes = this.#prefixes()
    const loops = this.#states.filter((state) => this.#reaches(state, state))
    for (const first of loops) {
      for (const second of loops) {
        const pump = this.#pump(first, second)
        if (pump !== undefined) witnesses.push({ prefix: prefixes.get(first)!, pump })
      }
    }
    return witnesses
  }

  #prefixes(): ReadonlyMap<number, string> {
    const prefixes = new Map([[searching, '']])
    for (const [state, prefix] of prefixes) {
      for (const { to, characters } of this.#steps.get(state)!) {
        const [character] = characters
        if (!prefixes.has(to) && character !== undefined) prefixes.set(to, prefix + this.#alphabet[character]!)
      }
    }
    for (const state of this.#states) if (!prefixes.has(state)) prefixes.set(state, '')
    return prefixes
  }

  #reaches(from: number, to: number): boolean {
    const visited = new Set<number>()
    const open = [from]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (const step of this.#steps.get(state)!) {
        if (step.to === to) return true
        if (!visited.has(step.to)) {
          visited.add(step.to)
          open.push(step.to)
        }
      }
    }
    return false
  }

  /** Finds a text that leads from `first` to itself, from `first` to `second`, and from `second` to itself. For equal states it finds two different paths. */
  #pump(first: number, second: number): string | undefined {
    const isSame = first === second
    const visited = new Set<string>()
    let open: { readonly at: readonly [number, number, number]; readonly forked: boolean; readonly text: string }[] = [
      { at: [first, first, second], forked: false, text: '' },
    ]
    while (open.length > 0) {
      const next: typeof open = []
      for (const { at, forked, text } of open) {
        for (const a of this.#steps.get(at[0])!) {
          for (const b of this.#steps.get(at[1])!) {
            for (const c of isSame ? [b] : this.#steps.get(at[2])!) {
              const isFork = forked || (isSame && (a.to !== b.to || a.ways > 1))
              const key = `${a.to},${b.to},${c.to},${isFork}`
              if (visited.has(key)) continue
              const common = [...a.characters].find((character) => b.characters.has(character) && c.characters.has(character))
              if (common === undefined) continue
              const pumped = text + this.#alphabet[common]!
              if (a.to === first && b.to === second && c.to === second && (!isSame || isFork)) return pumped
              visited.add(key)
              if (visited.size > maxVisited) return undefined
              next.push({ at: [a.to, b.to, c.to], forked: isFork, text: pumped })
            }
          }
        }
      }
      open = next
    }
    return undefined
  }
}

/** Returns the characters of the pattern and one character of each class. */
function listAlphabet({ source }: RegExp): readonly string[] {
  const ascii = Array.from({ length: 0x7f }, (_, code) => String.fromCodePoint(code))
  // Common characters come first, so that the found text is readable.
  return [...new Set(['a', '0', ' ', 'A', ...ascii.slice(0x20), ...ascii, '\u0085', '\u00a0', 'é', '\u2028', '日', '\ufeff', ...source])]
}
