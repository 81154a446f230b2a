import type { Exchange } from '@keelson/exchange'

/** The result of a filter: 'answered' if it has sent the response, nothing to let the request pass. */
export type FilterOutcome = 'answered' | void

/**
 * One step before a request is dispatched. It may answer the request, change the exchange, wait (a promise), and see the end (`exchange.onEnd`).
 *
 * @example
 * const refuseDeletes: Filter = (exchange) => {
 *   if (exchange.info.verb !== 'deletecollection') return
 *   writeError(exchange, newForbidden({ group: '', resource: exchange.info.resource }, '', 'collections are kept'))
 *   return 'answered'
 * }
 */
export type Filter = (exchange: Exchange) => FilterOutcome | Promise<FilterOutcome>

/** A filter with the name that other filters are placed by. */
export interface NamedFilter {
  readonly name: string
  /** Undefined: not configured, so that no request runs it. Its position stays. */
  readonly filter: Filter | undefined
}

/** A filter of an embedder, next to the named filter of the server or of an earlier item. Exactly one of `before` and `after`. */
export interface PlacedFilter extends NamedFilter {
  readonly filter: Filter
  readonly before?: string
  readonly after?: string
}

/** Inserts `placed` into the list. Throws `TypeError` for positions that are missing, ambiguous or unknown, and for names that are taken. */
export function placeFilters(filters: readonly NamedFilter[], placed: readonly PlacedFilter[]): readonly NamedFilter[] {
  const list = [...filters]
  for (const { name, filter, before, after } of placed) {
    if ((before === undefined) === (after === undefined)) throw new TypeError(`filter ${name}: needs exactly one of before and after`)
    const neighbour = before ?? after!
    const at = list.findIndex((other) => other.name === neighbour)
    const known = list.map((other) => other.name)
    if (at < 0) throw new TypeError(`filter ${name}: there is no filter ${neighbour}; known: ${known.join(', ')}`)
    if (known.includes(name)) throw new TypeError(`filter ${name}: the name is taken`)
    list.splice(before === undefined ? at + 1 : at, 0, { name, filter })
  }
  return list
}

/** Passes an exchange through filters, from `first` on. Returns a promise only if a filter does: a request that no filter delays costs no promise here. */
export function passFilters(filters: readonly Filter[], exchange: Exchange, first = 0): FilterOutcome | Promise<FilterOutcome> {
  for (let i = first; i < filters.length; i++) {
    const outcome = filters[i]!(exchange)
    if (outcome === undefined) continue
    if (!(outcome instanceof Promise)) return outcome
    // The deadline may have passed while the filter waited; then the request has been answered.
    return outcome.then((late) => late ?? (exchange.isOver ? 'answered' : passFilters(filters, exchange, i + 1)))
  }
  return undefined
}
