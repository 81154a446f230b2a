import type { PodTemplateSpec } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

type Template = DeepReadonly<PodTemplateSpec> | undefined

export function formatContainerNames(template: Template): string {
  return (template?.spec?.containers ?? []).map(({ name }) => name).join(',')
}

export function formatContainerImages(template: Template): string {
  return (template?.spec?.containers ?? []).map(({ image }) => image ?? '').join(',')
}
