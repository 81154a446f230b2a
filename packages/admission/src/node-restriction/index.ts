import { getNodeIdentity } from '@keelson/auth'
import { groupResourceString, quote } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { checkNodeWrite } from './check-node-write.ts'
import { checkClaimStatus, checkCSINode, checkCSR, checkLease, checkSlice } from './own-objects.ts'
import { checkPodDelete, checkPodCreate, checkPodEviction, checkPodStatus } from './pods.ts'
import { checkTokenRequest } from './token-requests.ts'

/** A write by the kubelet of a node. */
export interface NodeWrite {
  /** Name of the node. */
  readonly node: string
  readonly attributes: AdmissionAttributes
  readonly dependencies: PluginDependencies
}
type Check = (write: NodeWrite) => Promise<void> | void

/**
 * Creates the plugin NodeRestriction. It limits kubelets to their own node and the pods on it. Other users are not limited. The plugin is
 * disabled by default.
 */
export function createNodeRestrictionPlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    // Handles all resources, because a kubelet without a node name may not write anything.
    admit(attributes: AdmissionAttributes) {
      const { context, resource } = attributes
      const node = getNodeIdentity(context.user)
      if (node === undefined) return
      if (node === '') throw newForbiddenWrite(attributes, `could not determine node from user ${quote(context.user.name)}`)
      return checks.get(groupResourceString(resource))?.({ node, attributes, dependencies })
    },
  }
}

/** Checks by resource and group. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['pods', checkPod],
  ['nodes', checkNodeWrite],
  ['persistentvolumeclaims', checkClaimStatus],
  ['serviceaccounts', checkTokenRequest],
  ['leases.coordination.k8s.io', checkLease],
  ['csinodes.storage.k8s.io', checkCSINode],
  ['resourceslices.resource.k8s.io', checkSlice],
  ['certificatesigningrequests.certificates.k8s.io', checkCSR],
  [
    'podcertificaterequests.certificates.k8s.io',
    ({ attributes }) => {
      throw newForbiddenWrite(attributes, 'PodCertificateRequest feature gate is disabled')
    },
  ],
])

function checkPod(write: NodeWrite): Promise<void> | void {
  const { node, attributes } = write
  const { operation, subresource } = attributes
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return checkPodCreate(write)
      if (operation === 'DELETE') return checkPodDelete(write)
      throw newForbiddenWrite(
        attributes,
        `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`,
      )
    case 'status':
      return checkPodStatus(write)
    case 'eviction':
      return checkPodEviction(write)
    default:
      throw newForbiddenWrite(attributes, `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`)
  }
}
