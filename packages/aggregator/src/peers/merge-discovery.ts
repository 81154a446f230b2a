import { isDeepStrictEqual } from 'node:util'
import { mergeOrders } from './merge-orders.ts'

/** One resource in aggregated discovery (`APIResourceDiscovery`). */
export interface DiscoveredResource {
  readonly resource: string
  readonly verbs?: readonly string[]
  readonly subresources?: readonly { readonly subresource: string }[]
}

/** One version of a group in aggregated discovery (`APIVersionDiscovery`). */
export interface DiscoveredVersion {
  readonly version: string
  readonly resources?: readonly DiscoveredResource[]
  readonly freshness?: string
}

/** A group in aggregated discovery (`APIGroupDiscovery`). */
export interface DiscoveredGroup {
  readonly metadata: { readonly name?: string }
  readonly versions?: readonly DiscoveredVersion[]
}

/**
 * Merges the groups of this server with those of its peers, which are given by server name. Keeps the order of the servers where they agree. All
 * servers get the same result, because they merge in the order of their names.
 */
export function mergeDiscovery(
  local: { readonly serverId: string; readonly groups: readonly DiscoveredGroup[] },
  peers: ReadonlyMap<string, readonly DiscoveredGroup[]>,
): readonly DiscoveredGroup[] {
  const byServer = new Map(peers).set(local.serverId, local.groups)
  const lists = [...byServer.keys()].toSorted(compareBytes).map((serverId) => byServer.get(serverId)!)
  return mergeLists(lists, { getName: ({ metadata }) => metadata.name ?? '', merge: mergeGroups, order: local.groups })
}

function mergeGroups(first: DiscoveredGroup, second: DiscoveredGroup): DiscoveredGroup {
  const versions = mergeLists([first.versions ?? [], second.versions ?? []], { getName: ({ version }) => version, merge: mergeVersions })
  return versions === first.versions ? first : { ...first, versions }
}

function mergeVersions(first: DiscoveredVersion, second: DiscoveredVersion): DiscoveredVersion {
  const resources = mergeLists([first.resources ?? [], second.resources ?? []], {
    getName: ({ resource }) => resource,
    merge: mergeResources,
  })
  return resources === first.resources ? first : { ...first, resources }
}

/** Returns a resource with the verbs and subresources of both. Both lists are sorted, so that the result does not depend on the servers. */
function mergeResources(first: DiscoveredResource, second: DiscoveredResource): DiscoveredResource {
  if (isDeepStrictEqual(first, second)) return first
  const verbs = [...new Set([...(first.verbs ?? []), ...(second.verbs ?? [])])].toSorted(compareBytes)
  const subresources = new Map([...(first.subresources ?? []), ...(second.subresources ?? [])].map((each) => [each.subresource, each]))
  const { subresources: _, ...rest } = first
  return {
    ...rest,
    verbs,
    ...(subresources.size > 0 && {
      subresources: [...subresources.values()].toSorted((a, b) => compareBytes(a.subresource, b.subresource)),
    }),
  }
}

interface ListRules<T> {
  readonly getName: (item: T) => string
  readonly merge: (first: T, second: T) => T
  /** List whose order applies if all lists have the same names in the same order. Default: the first list. */
  readonly order?: readonly T[]
}

/** Merges lists of named items. Returns the list that gives the order if nothing is added to it. */
function mergeLists<T>(lists: readonly (readonly T[])[], { getName, merge, order = lists[0]! }: ListRules<T>): readonly T[] {
  const merged = new Map<string, T>()
  for (const list of lists) {
    for (const item of list) {
      const existing = merged.get(getName(item))
      merged.set(getName(item), existing === undefined ? item : merge(existing, item))
    }
  }
  const names = lists.map((list) => list.map(getName))
  const wantedNames = order.map(getName)
  const isSameOrder = names.every((each) => isDeepStrictEqual(each, wantedNames))
  if (isSameOrder && order.every((item) => isDeepStrictEqual(merged.get(getName(item)), item))) return order
  return (isSameOrder ? wantedNames : mergeOrders(names)).map((name) => merged.get(name)!)
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
