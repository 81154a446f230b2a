import { hasEmptyMarks, equalsSemantically, wasSentEmpty } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Strategy } from '@keelson/registry'

const reservedSuffix = '.static.k8s.io'

/**
 * Builds the strategy of the group's kinds. It counts changes of `member` in `metadata.generation` and warns about reserved names. With
 * `emptyIsChange`, an empty list or map from the client counts as a change, although storage drops it.
 */
export function createGenerationStrategy<T extends KubeObject>(
  member: keyof T & string,
  empty: unknown,
  options: { readonly emptyIsChange?: boolean } = {},
): Strategy<T> {
  return {
    repeatedMetadataChecks: 'create',
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, object, old) {
      const { metadata, [member]: before = empty } = old as T
      const emptied = options.emptyIsChange === true && (wasSentEmpty(object, member) || hasEmptyMarks(object[member]))
      if (emptied || !equalsSemantically(object[member] ?? empty, before)) object.metadata.generation = (metadata.generation ?? 0) + 1
    },
    warningsOnCreate: (_context, object) => findNameWarnings(object),
    warningsOnUpdate: (_context, object) => findNameWarnings(object),
  }
}

function findNameWarnings({ metadata: { name = '' } }: DeepReadonly<KubeObject>): string[] {
  if (!name.endsWith(reservedSuffix)) return []
  return [
    `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]
}
