import type { PodTemplate } from '@keelson/api/core/v1'
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts'

export function setPodTemplateObjectDefaults(object: PodTemplate): void {
  setPodTemplateDefaults((object.template ??= {}))
}
