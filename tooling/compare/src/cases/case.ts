import type { JsonValue } from '@keelson/apimachinery'

/** One request in the format of the golden files. `${ns}` stands for the namespace, other `${name}` for values saved by earlier steps. */
export interface Step {
  /**
   * An HTTP method, WATCH or COLLECT. WATCH opens a watch and names it `as`. COLLECT waits `ms` milliseconds, closes the watch named `from`
   * and returns its events.
   */
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Request body. A string is sent unchanged, other values are sent as JSON. */
  readonly body?: JsonValue
  readonly save?: Readonly<Record<string, string>>
  readonly as?: string
  readonly from?: string
  readonly ms?: number
}

export interface Case {
  /** Id of the case, in the format `scenario/kind/seed`. */
  readonly id: string
  readonly scenario: string
  readonly kind: string
  readonly seed: number
  readonly steps: readonly Step[]
}

/** Placeholder for the namespace of a run. Names of cluster-scoped objects start with it. Both servers use the same namespace. */
export const namespace = '${ns}'
