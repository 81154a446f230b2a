import type { GroupResource } from '@keelson/apimachinery'
import type { ResourceTransformers, ValueTransformer } from '@keelson/storagebackend'
import type { BuiltTransformers } from './build-transformers.ts'
import { patternsOf } from './group-resource-pattern.ts'
import { identity } from './identity.ts'

/** The transformer of the narrowest pattern that means the resource. */
export function overrideFor({ overrides }: BuiltTransformers, resource: GroupResource): ValueTransformer | undefined {
  for (const pattern of patternsOf(resource)) {
    const transformer = overrides.get(pattern)
    if (transformer !== undefined) return transformer
  }
  return undefined
}

/** Transformers that look at each use for what is in effect. A resource that is not encrypted may become so. */
export function followTransformers(current: () => BuiltTransformers): ResourceTransformers {
  return {
    transformerFor(resource) {
      let of: BuiltTransformers | undefined
      let transformer: ValueTransformer = identity
      const now = (): ValueTransformer => {
        const built = current()
        if (built !== of) {
          of = built
          transformer = overrideFor(built, resource) ?? identity
        }
        return transformer
      }
      return {
        fromStorage: (stored, key) => now().fromStorage(stored, key),
        toStorage: (data, key) => now().toStorage(data, key),
        prepare: (stored, key) => now().prepare?.(stored, key),
      }
    },
  }
}
