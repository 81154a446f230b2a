import { showPath } from './path-element.ts'
import type { PathElement } from './path-element.ts'

/** Paths repeat request data; a message must not become many times the request's size. */
export const maxMessageLength: number = 4 * 1024 * 1024

/** A value does not fit its type. The message matches kube-apiserver's; failures beyond the size limit are omitted. */
export class TypedError extends Error {
  override readonly name = 'TypedError'

  constructor(failures: readonly TypedFailure[]) {
    const texts: string[] = []
    let length = 0
    for (const { path, message } of failures) {
      const text = path.length === 0 ? message : `${showPath(path)}: ${message}`
      texts.push(text)
      length += text.length
      if (length > maxMessageLength) break
    }
    super(texts.length === 1 ? texts[0] : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n'))
  }
}

export interface TypedFailure {
  readonly path: readonly PathElement[]
  readonly message: string
}
