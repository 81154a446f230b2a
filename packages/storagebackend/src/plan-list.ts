import type { Revision } from './backend.ts'
import { decodeContinue } from './continue-token.ts'
import { StorageError } from './errors.ts'
import { requireResourceVersion } from './resource-version.ts'
import type { ListObjectsOptions } from './storage.ts'
import { listedState } from './version-rules.ts'

/** How a list reads the driver. */
export interface ListPlan {
  /** The revision to read at; 0 is the newest. */
  readonly at: Revision
  /** The state that is read must not be older than this. */
  readonly notOlderThan: Revision
  /** The first key, inclusive. */
  readonly start: string
  readonly continued: boolean
  /** 0 is no limit. */
  readonly limit: number
}

export function planList(prefix: string, options: ListObjectsOptions): ListPlan {
  const { resourceVersion = '', resourceVersionMatch, recursive = true } = options
  const limit = Math.max(0, options.limit ?? 0)
  const position = recursive && options.continue ? decodeContinue(options.continue, prefix) : undefined
  if (position && resourceVersion !== '' && resourceVersion !== '0') {
    const message = 'specifying resource version is not allowed when using continue'
    throw new StorageError({ code: 'BadRequest', key: prefix, message })
  }
  const revision = requireResourceVersion(resourceVersion)
  const state = listedState({
    resourceVersion,
    resourceVersionMatch,
    // One key has no pages.
    limit: recursive ? limit : 0,
    revision,
    token: position && { revision: position.revision, startKey: position.start },
  })
  return {
    at: state.type === 'exact' ? state.revision : 0,
    notOlderThan: state.type === 'latest' ? 0 : state.revision,
    start: position?.start ?? prefix,
    continued: position !== undefined,
    limit,
  }
}
