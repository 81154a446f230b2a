import { aggregateContainers } from '@keelson/api'
import type { Node, Pod, PodSpec } from '@keelson/api/core/v1'
import { parseQuantity, quote } from '@keelson/apimachinery'
import type { DeepReadonly, Quantity } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { checkNode } from '../check-node.ts'
import { newForbiddenWrite } from '../forbidden.ts'

/**
 * Creates the plugin PodResizeValidator. It rejects resizing a pod beyond its node's capacity, or on a node that does not support resizing.
 */
export function createPodResizeValidatorPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    operations: ['UPDATE'],
    resources: ['pods/resize'],
    validate(attributes: AdmissionAttributes) {
      const pod = attributes.object as Pod
      const nodeName = pod.spec?.nodeName ?? ''
      // An unchanged generation means that the spec is unchanged.
      if (nodeName === '' || pod.metadata.generation === attributes.oldObject?.metadata.generation) return
      return checkNode(dependencies, attributes, nodeName, (node) => check(attributes, pod.spec!, node))
    },
  }
}

function check(attributes: AdmissionAttributes, spec: PodSpec, node: DeepReadonly<Node>): void {
  const os = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
  if (os !== 'linux') {
    const message = `pod resize is only supported on linux nodes, node ${quote(node.metadata.name ?? '')} is ${quote(os)}`
    throw newForbiddenWrite(attributes, message, [{ reason: 'UnsupportedPlatform' }])
  }
  const requests = computePodRequests(spec)
  const getAllocatable = (name: string): Quantity => parseQuantity(node.status?.allocatable?.[name] ?? '0')
  const short = [
    describeExcess('cpu', requests.get('cpu'), getAllocatable('cpu'), (quantity) => quantity.milliValue()),
    describeExcess('memory', requests.get('memory'), getAllocatable('memory'), (quantity) => quantity.value()),
  ].filter((text) => text !== undefined)
  if (short.length > 0) {
    throw newForbiddenWrite(attributes, `node didn't have enough allocatable resources: ${short.join('; ')}`, [{ reason: 'NodeCapacity' }])
  }
}

function describeExcess(
  name: string,
  requested: Quantity | undefined,
  allocatable: Quantity,
  units: (quantity: Quantity) => bigint,
): string | undefined {
  if (requested === undefined || requested.compare(allocatable) <= 0) return undefined
  return `${name}, requested: ${units(requested)}, allocatable: ${units(allocatable)}`
}

/** Returns the requests of a pod: the sum of its containers, plus the overhead. Pod-level requests replace the sum. */
function computePodRequests(spec: PodSpec): ReadonlyMap<string, Quantity> {
  const requests = new Map(aggregateContainers(spec, 'requests'))
  for (const [name, text] of Object.entries(spec.resources?.requests ?? {})) requests.set(name, parseQuantity(text))
  for (const [name, text] of Object.entries(spec.overhead ?? {})) {
    const quantity = parseQuantity(text)
    requests.set(name, requests.get(name)?.add(quantity) ?? quantity)
  }
  return requests
}
