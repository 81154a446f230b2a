import type { Revision } from './backend.ts'
import { decodeContinue } from './continue-token.ts'
import { StorageError } from './errors.ts'
import { requireResourceVersion } from './resource-version.ts'
import type { ListObjectsOptions } from './storage.ts'

/** What a list's options come down to. */
export interface ListPlan {
  /** The revision to read at; 0 is the newest. */
  readonly at: Revision
  /** What is read must not be older than this. */
  readonly notOlderThan: Revision
  /** Where to begin, inclusive. */
  readonly start: string
  readonly continued: boolean
  /** 0 is no limit. */
  readonly limit: number
}

/**
 * | resourceVersion | match        | limit or continue | read at              |
 * |-----------------|--------------|-------------------|----------------------|
 * | any             | any          | continue          | the token's revision, the newest for -1; "" and "0" only |
 * | "" or "0"       |              |                   | the newest           |
 * | N               | Exact        |                   | N                    |
 * | N               | NotOlderThan |                   | the newest, >= N     |
 * | N               |              | limit             | N                    |
 * | N               |              |                   | the newest, >= N     |
 */
export function planList(prefix: string, options: ListObjectsOptions): ListPlan {
  const recursive = options.recursive ?? true
  const limit = Math.max(0, options.limit ?? 0)
  if (recursive && options.continue) {
    const position = decodeContinue(options.continue, prefix)
    if (options.resourceVersion && options.resourceVersion !== '0') {
      const message = 'specifying resource version is not allowed when using continue'
      throw new StorageError({ code: 'BadRequest', key: prefix, message })
    }
    return { at: Math.max(0, position.revision), notOlderThan: 0, start: position.start, continued: true, limit }
  }
  const revision = requireResourceVersion(options.resourceVersion)
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === undefined && recursive && limit > 0)
  return { at: exact ? revision : 0, notOlderThan: revision, start: prefix, continued: false, limit }
}
