import type { CheckedContainer } from './check.ts'

/** Formats items as a list of quoted strings, such as `"a", "b"`. */
export function quoteItems(items: Iterable<string>): string {
  return Array.from(items, (item) => `"${item}"`).join(', ')
}

export function sortItems(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted()
}

export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many
}

/** Formats container names, as in `containers "a", "b"`. */
export function formatContainerNames(containers: readonly { readonly name: string }[], subject = 'container'): string {
  return `${formatPlural(containers.length, subject)} ${quoteItems(containers.map(({ name }) => name))}`
}

/** Formats which of a pod and its containers set a field to a forbidden value, as in `pod and container "a"`. Returns "" if none do. */
export function formatViolators(byPod: boolean, containers: readonly CheckedContainer[]): string {
  return [...(byPod ? ['pod'] : []), ...(containers.length > 0 ? [formatContainerNames(containers)] : [])].join(' and ')
}
