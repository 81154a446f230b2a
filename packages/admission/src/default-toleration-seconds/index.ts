import type { Pod, Toleration } from '@keelson/api/core/v1'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { isFor } from '../is-for.ts'

export interface DefaultTolerationSecondsOptions {
  /** Default 300. */
  readonly notReadySeconds?: number
  /** Default 300. */
  readonly unreachableSeconds?: number
}

/** Adds tolerations for not-ready and unreachable nodes, unless the pod has its own. */
export function defaultTolerationSeconds({
  notReadySeconds = 300,
  unreachableSeconds = 300,
}: DefaultTolerationSecondsOptions = {}): AdmissionPlugin {
  const defaults = [
    { key: 'node.kubernetes.io/not-ready', tolerationSeconds: notReadySeconds },
    { key: 'node.kubernetes.io/unreachable', tolerationSeconds: unreachableSeconds },
  ]
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    admit(attributes: AdmissionAttributes) {
      if (!isFor(attributes, 'pods')) return
      const spec = ((attributes.object as Pod).spec ??= { containers: null })
      const existing = spec.tolerations ?? []
      const missing = defaults.filter(({ key }) => !existing.some((toleration) => tolerates(toleration, key)))
      if (missing.length === 0) return
      const added = missing.map(({ key, tolerationSeconds }) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
      spec.tolerations = [...existing, ...added]
    },
  }
}

/** Ignores operator and value. */
function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute')
}
