import type { Pod, Toleration } from '@keelson/api/core/v1'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'

export interface DefaultTolerationSecondsOptions {
  readonly notReadySeconds?: number
  readonly unreachableSeconds?: number
}

/** Creates the plugin DefaultTolerationSeconds. It adds tolerations for not-ready and unreachable nodes to pods that do not have them. */
export function defaultTolerationSeconds({
  notReadySeconds = defaultTolerations.notReadySeconds,
  unreachableSeconds = defaultTolerations.unreachableSeconds,
}: DefaultTolerationSecondsOptions = {}): AdmissionPlugin {
  const defaults = [
    { key: 'node.kubernetes.io/not-ready', tolerationSeconds: notReadySeconds },
    { key: 'node.kubernetes.io/unreachable', tolerationSeconds: unreachableSeconds },
  ]
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    admit({ object }: AdmissionAttributes) {
      const spec = ((object as Pod).spec ??= { containers: null })
      const tolerations = spec.tolerations ?? []
      const missing = defaults.filter(({ key }) => !tolerations.some((toleration) => tolerates(toleration, key)))
      if (missing.length === 0) return
      const added = missing.map(({ key, tolerationSeconds }) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
      spec.tolerations = [...tolerations, ...added]
    },
  }
}

/** Returns whether a toleration matches the key and effect of a NoExecute taint. Operator and value are ignored. */
function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute')
}

export const defaultTolerations = { notReadySeconds: 300, unreachableSeconds: 300 } as const
