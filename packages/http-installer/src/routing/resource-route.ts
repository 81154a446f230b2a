import { isApiError, newBadRequest, newGenericServerResponse } from '@keelson/apimachinery'
import { BrokenResponseError, isAbort } from '@keelson/exchange'
import type { Exchange, Route } from '@keelson/exchange'
import { handleList } from '../handlers/handle-list.ts'
import { patchTypes } from '../handlers/patch-types.ts'
import { checkAcceptable, checkConsumable } from '../negotiation/preconditions.ts'
import type { MethodTable, ResourceScope } from './scope.ts'
import { writeError } from '../encoding/write-error.ts'

const nowhere = { group: '', resource: '' }
const none: readonly string[] = []

/** Serves one kind of URL of one resource: an object, a collection, or what is below an object. */
export class ResourceRoute implements Route {
  readonly scope: ResourceScope
  readonly namespaced: boolean
  readonly isJsonOnly: boolean
  readonly #methods: MethodTable
  readonly #isList: boolean
  #watched: ResourceRoute | undefined

  constructor(scope: ResourceScope, methods: MethodTable, isList: boolean) {
    this.scope = scope
    this.namespaced = scope.namespaced
    this.isJsonOnly = scope.type?.isJsonOnly === true
    this.#methods = methods
    this.#isList = isList
  }

  /** The same URL after `watch/`, the deprecated way to watch a collection or one object. */
  get watched(): ResourceRoute {
    const list = this.#isList ? this.#methods['GET'] : undefined
    return (this.#watched ??= new ResourceRoute(this.scope, { GET: list ?? { handle: handleList } }, true))
  }

  async serve(exchange: Exchange): Promise<void> {
    try {
      await this.#handle(exchange)
    } catch (error) {
      const cause = error instanceof BrokenResponseError ? error.cause : error
      if (!isApiError(cause) && !isAbort(cause) && !exchange.aborted) this.scope.settings.onInternalError(cause)
      writeError(exchange, error)
    }
  }

  #handle(exchange: Exchange): Promise<void> {
    const { method, info } = exchange
    const { scope } = this
    // Over HTTP/2 any word is a method, also a name of a member that every object inherits.
    const found = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined
    if (found === undefined) throw newGenericServerResponse(405, method, nowhere, '')
    const { handle, mediaTypes = none } = found
    // kube-apiserver serves kinds that are JSON only without its router.
    if (mediaTypes !== 'any' && !this.isJsonOnly) {
      if (method === 'PATCH') checkConsumable(exchange.contentType, patchTypes(exchange))
      checkAcceptable(exchange, this.#isList && method === 'GET', mediaTypes)
    }
    const name = info.parts[1] ?? ''
    if (name === '' && !this.#isList) throw newBadRequest('name must be provided')
    const deprecation = scope.storage.deprecations?.[scope.apiVersion]
    if (deprecation !== undefined) {
      exchange.warn(deprecation.warning)
      scope.settings.observeDeprecated(scope, deprecation.gone ?? '')
    }
    return handle({ exchange, scope, name, query: exchange.query })
  }
}
