import type { DaemonSet } from '@keelson/api/apps/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { parseNumberAnnotation } from '../number-annotation.ts'

/** How often the template changed, which other versions had a member of the spec for. Clients do not decide it. */
export const templateGenerationAnnotation = 'deprecated.daemonset.template.generation'

/** A number, in one form; 0 where nothing is said. In place. */
export function normalizeTemplateGeneration({ metadata }: DaemonSet): void {
  const said = metadata.annotations?.[templateGenerationAnnotation]
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: said === undefined ? '0' : parseNumberAnnotation('DaemonSet', said),
  }
}

export function templateGeneration({ metadata }: DeepReadonly<DaemonSet>): number {
  return Number(metadata.annotations?.[templateGenerationAnnotation] ?? 0)
}

/** In place. */
export function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) }
}
