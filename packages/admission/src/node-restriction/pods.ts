import { listPodConfigMapNames, listPodSecretNames } from '@keelson/auth'
import type { Node, Pod, PodStatus, Volume, VolumeProjection } from '@keelson/api/core/v1'
import type { Eviction } from '@keelson/api/policy/v1'
import { quote, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { newForbiddenWrite } from '../forbidden.ts'
import { isMirrorPod, mirrorAnnotation } from '../service-account/mirror-pod.ts'
import type { NodeWrite } from './index.ts'
import { lookUp } from './look-up.ts'

/** Checks that a kubelet creates only mirror pods. They must be bound to its node, owned by it, and have no references to other objects. */
export async function checkPodCreate({ node, attributes, dependencies }: NodeWrite): Promise<void> {
  const refuse = (message: string): Error => newForbiddenWrite(attributes, message)
  const pod = attributes.object as Pod
  const name = quote(node)
  if (!isMirrorPod(pod)) throw refuse(`pod does not have ${quote(mirrorAnnotation)} annotation, node ${name} can only create mirror pods`)
  if ((pod.spec?.nodeName ?? '') !== node) throw refuse(`node ${name} can only create pods with spec.nodeName set to itself`)
  const owners = pod.metadata.ownerReferences ?? []
  const [owner] = owners
  if (owners.length > 1) throw refuse(`node ${name} can only create pods with a single owner reference set to itself`)
  if (owner === undefined || owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    throw refuse(`node ${name} can only create pods with an owner reference set to itself`)
  }
  if (owner.controller !== true) throw refuse(`node ${name} can only create pods with a controller owner reference set to itself`)
  if (owner.blockOwnerDeletion === true) throw refuse(`node ${name} must not set blockOwnerDeletion on an owner reference`)
  const { uid = '' } = (await lookUp<Node>(dependencies, { resource: 'nodes', name: node })).metadata
  if (owner.uid !== uid) throw refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${uid}`)
  const { resource, unknown } = findReference(pod)
  if (unknown !== undefined) throw refuse(`error checking mirror pod for API references: ${unknown}`)
  if (resource !== undefined) throw refuse(`node ${name} can not create pods that reference ${resource}`)
}

export function checkPodDelete({ node, attributes }: NodeWrite): void {
  if (getNodeName(attributes.oldObject as Pod) === node) return
  throw newForbiddenWrite(attributes, `node ${quote(node)} can only delete pods with spec.nodeName set to itself`)
}

export function checkPodStatus({ node, attributes }: NodeWrite): void {
  const { operation } = attributes
  if (operation !== 'UPDATE') throw newForbiddenWrite(attributes, `unexpected operation ${quote(operation)}`)
  const pod = attributes.object as Pod
  const old = attributes.oldObject as Pod
  const name = quote(node)
  if (getNodeName(old) !== node) {
    throw newForbiddenWrite(attributes, `node ${name} can only update pod status for pods with spec.nodeName set to itself`)
  }
  if (!equalsSemantically(pod.metadata.labels ?? {}, old.metadata.labels ?? {})) {
    throw newForbiddenWrite(attributes, `node ${name} cannot update labels through pod status`)
  }
  const { status = {} } = pod
  const { status: oldStatus = {} } = old
  if (!haveSameClaims(status, oldStatus)) throw newForbiddenWrite(attributes, `node ${name} cannot update resource claim statues`)
  if (!equalsSemantically(status.extendedResourceClaimStatus, oldStatus.extendedResourceClaimStatus)) {
    throw newForbiddenWrite(attributes, `node ${name} cannot update extended resource claim status`)
  }
}

/** Compares two lists of resource claim statuses. Their order matters. */
function haveSameClaims({ resourceClaimStatuses: a = [] }: PodStatus, { resourceClaimStatuses: b = [] }: PodStatus): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, resourceClaimName }, i) => name === b[i]!.name && resourceClaimName === b[i]!.resourceClaimName)
  )
}

export async function checkPodEviction({ node, attributes, dependencies }: NodeWrite): Promise<void> {
  const { operation, namespace, object } = attributes
  if (operation !== 'CREATE') throw newForbiddenWrite(attributes, `unexpected operation ${operation}`)
  const name = attributes.name || ((object as Eviction).metadata.name ?? '')
  if (name === '') throw newForbiddenWrite(attributes, 'could not determine pod from request data')
  const pod = await lookUp<Pod>(dependencies, { resource: 'pods', namespace, name })
  if (getNodeName(pod) !== node) throw newForbiddenWrite(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`)
}

function getNodeName({ spec }: DeepReadonly<Pod>): string {
  return spec?.nodeName ?? ''
}

/**
 * A reference that was found in a pod. `resource` is the kind of object that the pod refers to. `unknown` is the reason why the kind cannot
 * be determined.
 */
interface FoundReference {
  readonly resource?: string
  readonly unknown?: string
}

/** Finds a reference from a pod to another API object. */
function findReference(pod: Pod): FoundReference {
  const { serviceAccountName = '', resourceClaims = [], volumes = [] } = pod.spec ?? {}
  if (serviceAccountName !== '') return { resource: 'serviceaccounts' }
  if (listPodSecretNames(pod).length > 0) return { resource: 'secrets' }
  if (listPodConfigMapNames(pod).length > 0) return { resource: 'configmaps' }
  if (resourceClaims.length > 0) return { resource: 'resourceclaims' }
  for (const volume of volumes) {
    const foundItemReference = findVolumeReference(volume)
    if (foundItemReference !== undefined) return foundItemReference
  }
  return {}
}

/** Volume types that refer to no API object except secrets. */
const localVolumes: readonly (keyof Volume)[] = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
]
const referencesByVolume: readonly (readonly [keyof Volume, string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]
const referencesByProjection: readonly (readonly [keyof VolumeProjection, string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]

function findVolumeReference(volume: Volume): FoundReference | undefined {
  if (localVolumes.some((member) => volume[member] !== undefined)) return undefined
  const direct = referencesByVolume.find(([member]) => volume[member] !== undefined)
  if (direct !== undefined) return { resource: direct[1] }
  if (volume.projected === undefined) return { unknown: `unknown volume type for volume  ${quote(volume.name)}` }
  for (const source of volume.projected.sources ?? []) {
    const projected = referencesByProjection.find(([member]) => source[member] !== undefined)
    if (projected !== undefined) return { resource: projected[1] }
    if (source.downwardAPI === undefined) return { unknown: `unknown source for projected volume ${quote(volume.name)}` }
  }
  return undefined
}
