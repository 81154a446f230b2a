import type { GroupResource } from '@keelson/apimachinery'
import type { ResourceTransformers, ValueTransformer } from '@keelson/storagebackend'
import type { BuiltTransformers } from './build-transformers.ts'
import { listPatterns } from './group-resource-pattern.ts'
import { identity } from './identity.ts'

/** Returns the transformer of the most specific pattern that matches the resource; undefined if none matches. */
export function findOverride({ overrides }: BuiltTransformers, resource: GroupResource): ValueTransformer | undefined {
  for (const pattern of listPatterns(resource)) {
    const transformer = overrides.get(pattern)
    if (transformer !== undefined) return transformer
  }
  return undefined
}

/** Returns transformers that always use the active configuration. They look it up on each use, because a reload may start to encrypt a resource. */
export function followTransformers(getCurrent: () => BuiltTransformers): ResourceTransformers {
  return {
    findTransformer(resource) {
      let lastBuilt: BuiltTransformers | undefined
      let transformer: ValueTransformer = identity
      const resolveTransformer = (): ValueTransformer => {
        const currentTransformers = getCurrent()
        if (currentTransformers !== lastBuilt) {
          lastBuilt = currentTransformers
          transformer = findOverride(currentTransformers, resource) ?? identity
        }
        return transformer
      }
      return {
        fromStorage: (stored, key) => resolveTransformer().fromStorage(stored, key),
        toStorage: (data, key) => resolveTransformer().toStorage(data, key),
        prepare: (stored, key) => resolveTransformer().prepare?.(stored, key),
      }
    },
  }
}
