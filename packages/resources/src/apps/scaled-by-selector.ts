import { labelSelectorAsSelector } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, LabelSelector } from '@keelson/apimachinery'
import type { ScaledBy } from '@keelson/registry'

interface Replicated extends KubeObject {
  spec?: { replicas?: number; readonly selector: LabelSelector | null }
  status?: { readonly replicas?: number }
}

/** Describes the scale subresource of a kind with `spec.replicas` and a label selector. */
export function describeScaleBySelector<T extends Replicated>(): ScaledBy<T> {
  const read = (object: DeepReadonly<T>): DeepReadonly<Replicated> => object
  return {
    replicasPath: 'spec.replicas',
    getReplicas: (object) => read(object).spec?.replicas ?? 0,
    setReplicas({ spec }, replicas) {
      if (spec !== undefined) spec.replicas = replicas
    },
    getStatusReplicas: (object) => read(object).status?.replicas ?? 0,
    formatSelector: (object) => labelSelectorAsSelector(read(object).spec?.selector ?? undefined).toString(),
  }
}
