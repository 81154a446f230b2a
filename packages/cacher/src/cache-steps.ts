import { groupResourceString } from '@keelson/apimachinery'
import type { GroupResource, Span } from '@keelson/apimachinery'
import type { GetOptions } from '@keelson/storagebackend'

/** Time in milliseconds from which a step of the cache is in the log of slow requests. */
export const slowStepMs = 500

export function startGetStep(request: Span, key: string, { resourceVersion = '' }: GetOptions): Span {
  return request.startChild('cacher.Get', { 'audit-id': request.auditId, key, 'resource-version': resourceVersion })
}

export function startCacheStep(request: Span, name: string, resource: GroupResource | undefined): Span {
  return request.startChild(name, { 'audit-id': request.auditId, ...(resource && { type: groupResourceString(resource) }) })
}

/** Options of a read with another step. They read the signal only when it is needed, because reading `signal` may create it. */
export class TracedGetOptions implements GetOptions {
  readonly span: Span
  readonly #options: GetOptions

  constructor(options: GetOptions, span: Span) {
    this.#options = options
    this.span = span
  }

  get resourceVersion(): string {
    return this.#options.resourceVersion ?? ''
  }

  get signal(): AbortSignal {
    return this.#options.signal!
  }

  get aborted(): boolean {
    return this.#options.aborted ?? this.#options.signal?.aborted ?? false
  }
}
