import type { DaemonSet } from '@keelson/api/apps/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseNumberAnnotation } from '../number-annotation.ts'

/** Annotation with the number of template changes, which was `spec.templateGeneration` in earlier API versions. Clients cannot set it. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation'

/** Normalizes the annotation to a canonical number, which is 0 if the annotation is absent. Mutates its argument. */
export function normalizeTemplateGeneration({ metadata }: DaemonSet): void {
  const value = metadata.annotations?.[templateGenerationAnnotation]
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: value === undefined ? '0' : parseNumberAnnotation('DaemonSet', value),
  }
}

export function readTemplateGeneration({ metadata }: DeepReadonly<DaemonSet>): number {
  return Number(metadata.annotations?.[templateGenerationAnnotation] ?? 0)
}

/** Sets the template generation. Mutates its argument. */
export function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) }
}
