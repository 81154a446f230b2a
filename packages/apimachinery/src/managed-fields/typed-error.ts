import { showPath } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/** A value does not fit its type. The original's words. */
export class TypedError extends Error {
  override readonly name = 'TypedError'

  constructor(failures: readonly TypedFailure[]) {
    const texts = failures.map(({ path, message }) => (path.length === 0 ? message : `${showPath(path)}: ${message}`))
    super(texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'))
  }
}

export interface TypedFailure {
  readonly path: readonly PathElement[]
  readonly message: string
}
