import { parseFieldSelector } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'

const readVerbs = new Set(['get', 'list', 'watch', 'proxy'])

/** A request for a watch. */
interface WatchRequest {
  readonly attributes: RequestedAction
  readonly query: { get(name: string): string | null }
}

/**
 * Counts open watches by resource, namespace and name. A write is more expensive if many watches have to be informed. Label selectors do not
 * matter, because they are evaluated for each event anyway.
 */
export class WatchCounts {
  readonly #counts = new Map<string, number>()

  /** Counts a watch. Returns a function that stops counting it, which the caller must call once. */
  add({ attributes, query }: WatchRequest): () => void {
    // The watch cache has an index of pods by node. A watch of one node's pods costs nothing for pods of other nodes.
    if (attributes.resource === 'pods' && selectsNode(query.get('fieldSelector'))) return () => {}
    const key = createKey(attributes, attributes.namespace, attributes.name)
    this.#change(key, 1)
    return () => this.#change(key, -1)
  }

  /** Returns the number of watches that may have to be informed about a write. */
  countInterested(action: RequestedAction): number {
    if (this.#counts.size === 0 || readVerbs.has(action.verb)) return 0
    let count = this.#counts.get(createKey(action, '', '')) ?? 0
    if (action.namespace !== '') count += this.#counts.get(createKey(action, action.namespace, '')) ?? 0
    if (action.name !== '') count += this.#counts.get(createKey(action, action.namespace, action.name)) ?? 0
    return count
  }

  #change(key: string, difference: number): void {
    const count = (this.#counts.get(key) ?? 0) + difference
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

function createKey({ apiGroup, resource }: RequestedAction, namespace: string, name: string): string {
  return `${apiGroup}/${resource}/${namespace}/${name}`
}

/** Returns whether a field selector requires one node. A selector that cannot be parsed requires none. */
function selectsNode(fieldSelector: string | null): boolean {
  if (!fieldSelector?.includes('spec.nodeName')) return false
  try {
    return Boolean(parseFieldSelector(fieldSelector).requiresExactMatch('spec.nodeName'))
  } catch {
    return false
  }
}
