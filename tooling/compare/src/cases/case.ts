import type { JsonValue } from '@keelson/apimachinery'

/** One request, as the golden files write it. `${name}` stands for the namespace (`${ns}`) and for what steps before it saved. */
export interface Step {
  /** WATCH with `as` opens a watch and goes on; COLLECT with `from` waits for `ms`, ends it, and answers what it sent. */
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is. */
  readonly body?: JsonValue
  readonly save?: Readonly<Record<string, string>>
  readonly as?: string
  readonly from?: string
  readonly ms?: number
}

export interface Case {
  /** scenario/kind/seed */
  readonly id: string
  readonly scenario: string
  readonly kind: string
  readonly seed: number
  readonly steps: readonly Step[]
}

/** The namespace of a run, and the beginning of the names of everything that is in none. Both servers have the same in a run. */
export const namespace = '${ns}'
