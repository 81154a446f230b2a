import type { Node } from '@keelson/api/core/v1'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

/** Creates the plugin TaintNodesByCondition. It taints new nodes as not ready. A controller removes the taint when a node is ready. */
export function createTaintNodesByConditionPlugin(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    operations: ['CREATE'],
    resources: ['nodes'],
    admit({ object }: AdmissionAttributes) {
      const node = object as Node
      const taints = ((node.spec ??= {}).taints ??= [])
      if (!taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) taints.push({ ...notReady })
    },
  }
}
