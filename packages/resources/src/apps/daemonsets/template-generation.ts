import type { DaemonSet } from '@keelson/api/apps/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseNumberAnnotation } from '../number-annotation.ts'

/** Counts template changes; earlier API versions had `spec.templateGeneration`. The server sets it, clients cannot. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation'

/** Rewrites the annotation as a canonical number, 0 if absent. Mutates its argument. */
export function normalizeTemplateGeneration({ metadata }: DaemonSet): void {
  const value = metadata.annotations?.[templateGenerationAnnotation]
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: value === undefined ? '0' : parseNumberAnnotation('DaemonSet', value),
  }
}

export function templateGeneration({ metadata }: DeepReadonly<DaemonSet>): number {
  return Number(metadata.annotations?.[templateGenerationAnnotation] ?? 0)
}

/** Mutates its argument. */
export function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) }
}
