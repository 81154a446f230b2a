import type { CheckedContainer } from './check.ts'

/** Formats items as `"a", "b"`. */
export function quoted(items: Iterable<string>): string {
  return Array.from(items, (item) => `"${item}"`).join(', ')
}

export function sorted(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].toSorted()
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many
}

/** Formats names as `containers "a", "b"`. */
export function containerNames(containers: readonly { readonly name: string }[], what = 'container'): string {
  return `${plural(containers.length, what)} ${quoted(containers.map(({ name }) => name))}`
}

/** Formats the objects that set a field to a forbidden value as `pod and container "a"`. "" if there are none. */
export function violators(byPod: boolean, containers: readonly CheckedContainer[]): string {
  return [...(byPod ? ['pod'] : []), ...(containers.length > 0 ? [containerNames(containers)] : [])].join(' and ')
}
