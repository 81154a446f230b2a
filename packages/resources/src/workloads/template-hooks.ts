import type { PodTemplateSpec } from '@keelson/api/core/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath, KubeObject } from '@keelson/apimachinery'
import { dropDisabledPodFields, findPodWarnings } from '@keelson/resources-core'

type ReadonlyTemplate = DeepReadonly<PodTemplateSpec>

interface WithSpec extends KubeObject {
  readonly spec?: unknown
}

/** Drops pod fields of disabled features. Mutates the template. */
export function dropDisabledTemplateFields(template: PodTemplateSpec | undefined, old?: ReadonlyTemplate): void {
  if (template?.spec !== undefined) dropDisabledPodFields(template.spec, old?.spec)
}

/** Increments the generation if the spec changed. Mutates the object. */
export function countSpecChanges(object: WithSpec, old: DeepReadonly<WithSpec>): void {
  if (!equalsSemantically(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1
}

export function isNewGeneration(object: DeepReadonly<KubeObject>, old: DeepReadonly<KubeObject>): boolean {
  return object.metadata.generation !== old.metadata.generation
}

export function findTemplateWarnings(template: ReadonlyTemplate | undefined, path: FieldPath): string[] {
  return template === undefined ? [] : findPodWarnings(template, path)
}
