import type { Node } from '@keelson/api/core/v1'
import { quote, equalsSemantically } from '@keelson/apimachinery'
import { newForbiddenWrite } from '../forbidden.ts'
import type { NodeWrite } from './index.ts'

/** Checks that a kubelet writes only its own Node. It may not change taints and owners, or labels that steer workloads to the node. */
export function checkNodeWrite({ node: nodeName, attributes }: NodeWrite): void {
  const { operation, name } = attributes
  const refuse = (message: string): Error => newForbiddenWrite(attributes, message)
  if (name !== nodeName) throw refuse(`node ${quote(nodeName)} is not allowed to modify node ${quote(name)}`)
  if (operation !== 'CREATE' && operation !== 'UPDATE') return
  const { metadata, spec = {} } = attributes.object as Node
  const subject = `node ${quote(nodeName)} is not allowed to`
  if (operation === 'CREATE') {
    if (spec.configSource !== undefined) throw refuse(`${subject} create pods with a non-nil configSource`)
    const labels = listForbiddenLabels(metadata.labels, undefined)
    if (labels.length > 0) throw refuse(`${subject} set the following labels: ${labels.join(', ')}`)
    return
  }
  const { metadata: oldMetadata, spec: oldSpec = {} } = attributes.oldObject as Node
  if (spec.configSource !== undefined && !equalsSemantically(spec.configSource, oldSpec.configSource)) {
    throw refuse(`${subject} update configSource to a new non-nil configSource`)
  }
  if (!equalsSemantically(spec.taints ?? [], oldSpec.taints ?? [])) throw refuse(`${subject} modify taints`)
  if (!equalsSemantically(metadata.ownerReferences ?? [], oldMetadata.ownerReferences ?? []))
    throw refuse(`${subject} modify ownerReferences`)
  const labels = listForbiddenLabels(metadata.labels, oldMetadata.labels)
  if (labels.length > 0) throw refuse(`is not allowed to modify labels: ${labels.join(', ')}`)
}

type Labels = Readonly<Record<string, string>> | undefined

/** Lists the changed labels that a kubelet may not set, sorted by name. */
function listForbiddenLabels(labels: Labels, old: Labels): string[] {
  const keys = new Set([...Object.keys(labels ?? {}), ...Object.keys(old ?? {})])
  return [...keys].filter((key) => labels?.[key] !== old?.[key] && isForbiddenLabel(key)).toSorted()
}

function isForbiddenLabel(key: string): boolean {
  const slash = key.indexOf('/')
  const domain = slash < 0 ? '' : key.slice(0, slash)
  if (isWithin(domain, 'node-restriction.kubernetes.io')) return true
  return (isWithin(domain, 'kubernetes.io') || isWithin(domain, 'k8s.io')) && !isKubeletLabel(key, domain)
}

function isKubeletLabel(key: string, domain: string): boolean {
  return kubeletLabels.has(key) || isWithin(domain, 'kubelet.kubernetes.io') || isWithin(domain, 'node.kubernetes.io')
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`)
}

const kubeletLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
])
