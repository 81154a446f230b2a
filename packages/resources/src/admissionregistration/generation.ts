import { semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { Strategy } from '@keelson/registry'

const reservedSuffix = '.static.k8s.io'

/** What all kinds of the group have in common: they count the generations of one member, and one kind of name is reserved. */
export function countsGenerations<T extends KubeObject>(member: keyof T & string, empty: unknown): Strategy<T> {
  return {
    repeatedMetadataChecks: 'create',
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1
    },
    prepareForUpdate(_context, object, old) {
      const { metadata, [member]: before = empty } = old as T
      if (!semanticEqual(object[member] ?? empty, before)) object.metadata.generation = (metadata.generation ?? 0) + 1
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
