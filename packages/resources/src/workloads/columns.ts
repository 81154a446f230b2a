import type { PodTemplateSpec } from '@keelson/api/core/v1'
import type { DeepReadonly, KubeObject, LabelSelector } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import { containerImages, containerNames, labelSelectorText } from '@keelson/resources-core'

type TemplateOf<T extends KubeObject> = (object: DeepReadonly<T>) => DeepReadonly<PodTemplateSpec> | undefined
type SelectorOf<T extends KubeObject> = (object: DeepReadonly<T>) => DeepReadonly<LabelSelector> | null | undefined

/** Of the pods that a workload makes, with -o wide. */
export function containerColumns<T extends KubeObject>(template: TemplateOf<T>): readonly Column<T>[] {
  return [
    { name: 'Containers', priority: 1, description: 'The names of their containers.', value: (object) => containerNames(template(object)) },
    { name: 'Images', priority: 1, description: 'The images of their containers.', value: (object) => containerImages(template(object)) },
  ]
}

export function selectorColumn<T extends KubeObject>(selector: SelectorOf<T>): Column<T> {
  return {
    name: 'Selector',
    priority: 1,
    description: 'The labels it finds its pods by.',
    value: (object) => labelSelectorText(selector(object) ?? undefined),
  }
}
