import type { PodTemplateSpec } from '@keelson/api/core/v1'
import type { DeepReadonly, KubeObject, LabelSelector } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { formatContainerImages, formatContainerNames, formatLabelSelector } from '@keelson/resources-core'

type TemplateOf<T extends KubeObject> = (object: DeepReadonly<T>) => DeepReadonly<PodTemplateSpec> | undefined
type SelectorOf<T extends KubeObject> = (object: DeepReadonly<T>) => DeepReadonly<LabelSelector> | null | undefined

/** Returns the wide columns for the containers of a pod template. */
export function createContainerColumns<T extends KubeObject>(template: TemplateOf<T>): readonly Column<T>[] {
  return [
    { name: 'Containers', priority: 1, description: 'Names of the containers.', value: (object) => formatContainerNames(template(object)) },
    { name: 'Images', priority: 1, description: 'Images of the containers.', value: (object) => formatContainerImages(template(object)) },
  ]
}

export function createSelectorColumn<T extends KubeObject>(selector: SelectorOf<T>): Column<T> {
  return {
    name: 'Selector',
    priority: 1,
    description: 'Label selector of its pods.',
    value: (object) => formatLabelSelector(selector(object) ?? undefined),
  }
}
