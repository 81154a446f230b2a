import type { Binding, Node, Pod } from '@keelson/api/core/v1'
import { runAfter } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findNode } from '../check-node.ts'

const copied = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']

/**
 * Creates the plugin PodTopologyLabels. It copies the zone and region labels of a node to pods that are bound to the node or created on it.
 */
export function createPodTopologyLabelsPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    operations: ['CREATE'],
    resources: ['pods', 'pods/binding'],
    admit(attributes: AdmissionAttributes) {
      const name = getNodeName(attributes)
      if (name === '') return
      return runAfter(findNode(dependencies, name), (node) => copyLabels(node, attributes.object!))
    },
  }
}

/** Returns the node that the write assigns to a pod. Returns "" if the write assigns none. */
function getNodeName({ subresource, object }: AdmissionAttributes): string {
  if (subresource === '') return (object as Pod).spec?.nodeName ?? ''
  const { target } = object as Binding
  return target.kind === 'Node' ? (target.name ?? '') : ''
}

function copyLabels(node: DeepReadonly<Node> | undefined, { metadata }: KubeObject): void {
  for (const key of copied) {
    const value = node?.metadata.labels?.[key]
    if (value !== undefined) (metadata.labels ??= {})[key] = value
  }
}
