import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'

/**
 * Returns the name of the newest object with one of the annotations set to "true": the default class of its kind. If several are equally
 * old, returns the first by name.
 */
export function findNewestDefault(objects: readonly DeepReadonly<KubeObject>[], annotations: readonly string[]): string | undefined {
  const defaults = objects.filter(({ metadata }) => annotations.some((key) => metadata.annotations?.[key] === 'true'))
  return defaults
    .map(({ metadata: { name = '', creationTimestamp = '' } }) => ({ name, creationTimestamp }))
    .toSorted(compareNewestFirst)[0]?.name
}

interface Age {
  readonly name: string
  readonly creationTimestamp: string
}

function compareNewestFirst(a: Age, b: Age): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? 1 : -1
  return a.name < b.name ? -1 : 1
}
