import type { Pod, PodSpec } from '@keelson/api/core/v1'
import { quote, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { checkNode } from '../check-node.ts'
import { newForbiddenWrite } from '../forbidden.ts'

type Spec = DeepReadonly<PodSpec>

/** Features that the kubelet of a node must declare, with the pod updates that need them. */
const features: readonly { readonly name: string; readonly needed: (spec: Spec, old: Spec) => boolean }[] = [
  {
    name: 'InPlacePodLevelResourcesVerticalScaling',
    needed: (spec, old) => !equalsSemantically(spec.resources, old.resources),
  },
  {
    name: 'InPlacePodVerticalScalingInitContainers',
    needed: (spec, old) =>
      (old.initContainers ?? []).some(
        (container, i) =>
          container.restartPolicy !== 'Always' && !equalsSemantically(spec.initContainers?.[i]?.resources, container.resources),
      ),
  },
]

/** Creates the plugin NodeDeclaredFeatureValidator. It rejects pod updates that need features which the node's kubelet does not declare. */
export function createNodeDeclaredFeatureValidatorPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    operations: ['UPDATE'],
    resources: ['pods', 'pods/resize'],
    validate(attributes: AdmissionAttributes) {
      const pod = attributes.object as Pod
      const old = attributes.oldObject as DeepReadonly<Pod>
      const nodeName = pod.spec?.nodeName ?? ''
      // An unchanged generation means that the spec is unchanged.
      if (nodeName === '' || pod.metadata.generation === old.metadata.generation) return
      const required = features.filter(({ needed }) => needed(pod.spec!, old.spec ?? { containers: null })).map(({ name }) => name)
      if (required.length === 0) return
      return checkNode(dependencies, attributes, nodeName, (node) => {
        const missing = required.filter((name) => !node.status?.declaredFeatures?.includes(name))
        if (missing.length === 0) return
        throw newForbiddenWrite(
          attributes,
          `pod update requires features ${missing.join(', ')} which are not available on node ${quote(nodeName)}`,
        )
      })
    },
  }
}
