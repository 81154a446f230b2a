import type { Node } from '@keelson/api/core/v1'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import { isFor } from '../is-for.ts'

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const

/** Taints new nodes until a controller finds them ready and removes the taint. */
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    operations: ['CREATE'],
    admit(attributes: AdmissionAttributes) {
      if (!isFor(attributes, 'nodes')) return
      const node = attributes.object as Node
      const taints = ((node.spec ??= {}).taints ??= [])
      if (!taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) taints.push({ ...notReady })
    },
  }
}
