import { holdsSentEmpty, semanticEqual, wasSentEmpty } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Strategy } from '@keelson/registry'

const reservedSuffix = '.static.k8s.io'

/**
 * What all kinds of the group have in common: they count the generations of one member, and one kind of name is reserved. Some tell what was sent
 * empty (`tellsEmpty`) from what is stored of it, which is nothing.
 */
export function countsGenerations<T extends KubeObject>(
  member: keyof T & string,
  empty: unknown,
  options: { readonly tellsEmpty?: boolean } = {},
): Strategy<T> {
  return {
    repeatedMetadataChecks: 'create',
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, object, old) {
      const { metadata, [member]: before = empty } = old as T
      const emptied = options.tellsEmpty === true && (wasSentEmpty(object, member) || holdsSentEmpty(object[member]))
      if (emptied || !semanticEqual(object[member] ?? empty, before)) object.metadata.generation = (metadata.generation ?? 0) + 1
    },
    warningsOnCreate: (_context, object) => nameWarnings(object),
    warningsOnUpdate: (_context, object) => nameWarnings(object),
  }
}

function nameWarnings({ metadata: { name = '' } }: DeepReadonly<KubeObject>): string[] {
  if (!name.endsWith(reservedSuffix)) return []
  return [
    `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]
}
