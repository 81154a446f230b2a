import type { TokenRequest } from '@keelson/api/authentication/v1'
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSource, Pod, Volume } from '@keelson/api/core/v1'
import type { CSIDriver } from '@keelson/api/storage/v1'
import { getClaimOfVolume } from '@keelson/auth'
import { getErrorMessage, quote, createResourceAction } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { newForbiddenWrite } from '../forbidden.ts'
import type { NodeWrite } from './index.ts'
import { lookUp } from './look-up.ts'

/** Checks that a kubelet requests only tokens that are bound to a pod on its node. The audience must be one that the pod uses. */
export async function checkTokenRequest(write: NodeWrite): Promise<void> {
  const { node, attributes, dependencies } = write
  const { operation, subresource, namespace } = attributes
  if (operation !== 'CREATE' || subresource !== 'token') return
  const { spec } = attributes.object as TokenRequest
  const { apiVersion, kind, name = '', uid = '' } = spec.boundObjectRef ?? {}
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') throw newForbiddenWrite(attributes, 'node requested token not bound to a pod')
  if (uid === '') throw newForbiddenWrite(attributes, 'node requested token with a pod binding without a uid')
  const pod = await lookUp<Pod>(dependencies, { resource: 'pods', namespace, name })
  if (uid !== pod.metadata.uid) {
    const message = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw newForbiddenWrite(attributes, message)
  }
  if (pod.spec?.nodeName !== node) throw newForbiddenWrite(attributes, 'node requested token bound to a pod scheduled on a different node')
  await checkAudience(write, pod, spec.audiences ?? [])
}

async function checkAudience(write: NodeWrite, pod: DeepReadonly<Pod>, audiences: readonly string[]): Promise<void> {
  const { attributes, dependencies } = write
  if (audiences.length > 1) throw newForbiddenWrite(attributes, 'node may only request 0 or 1 audiences')
  const [audience = ''] = audiences
  if (await usesAudience(write, pod, audience)) return
  const { context, namespace, name } = attributes
  const verb = 'request-serviceaccounts-token-audience'
  const action = createResourceAction({ verb, apiVersion: 'v1', namespace, resource: audience, name })
  const { decision } = await dependencies.authorizer.authorize({ user: context.user, action })
  if (decision === 'allow') return
  const missing = `audience ${quote(audience)} not found in pod spec volume`
  throw newForbiddenWrite(attributes, `${missing}, ${context.user.name} is not authorized to request tokens for this audience`)
}

/**
 * Returns whether a volume of the pod needs a token for the audience. Such volumes are projected tokens, and CSI volumes whose driver
 * requests the audience.
 */
async function usesAudience({ attributes, dependencies }: NodeWrite, pod: DeepReadonly<Pod>, audience: string): Promise<boolean> {
  const errors = new Set<string>()
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.projected?.sources?.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience))
      return true
    try {
      const name = await findDriver(dependencies, pod, volume)
      if (name === '') continue
      const { spec } = await lookUp<CSIDriver>(dependencies, { group: 'storage.k8s.io', resource: 'csidrivers', name })
      if (spec.tokenRequests?.some((request) => request.audience === audience)) return true
    } catch (error) {
      errors.add(getErrorMessage(error))
    }
  }
  if (errors.size === 0) return false
  const [first] = errors
  const text = errors.size === 1 ? first! : `[${[...errors].join(', ')}]`
  throw newForbiddenWrite(attributes, `error validating audience ${quote(audience)}: ${text}`)
}

/** Returns the name of the CSI driver of a volume. Returns "" if the volume has none. */
async function findDriver(dependencies: NodeWrite['dependencies'], pod: DeepReadonly<Pod>, volume: DeepReadonly<Volume>): Promise<string> {
  const { namespace = '', name: podName = '' } = pod.metadata
  const isClaimed = volume.ephemeral?.volumeClaimTemplate !== undefined || volume.persistentVolumeClaim !== undefined
  if (!isClaimed) return volume.csi?.driver ?? selectMigratedDriver(volume)
  const name = getClaimOfVolume(podName, volume) ?? ''
  const claim = await lookUp<PersistentVolumeClaim>(dependencies, { resource: 'persistentvolumeclaims', namespace, name })
  const { spec = {} } = await lookUp<PersistentVolume>(dependencies, { resource: 'persistentvolumes', name: claim.spec?.volumeName ?? '' })
  return spec.csi?.driver ?? selectMigratedDriver(spec)
}

type MigratedSource = keyof PersistentVolumeSource & keyof Volume

/** CSI drivers that have replaced in-tree volume types. */
const migratedDrivers: readonly (readonly [MigratedSource, string])[] = [
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
  ['portworxVolume', 'pxd.portworx.com'],
]

function selectMigratedDriver(source: Readonly<Partial<Record<MigratedSource, unknown>>>): string {
  return migratedDrivers.find(([member]) => source[member] !== undefined)?.[1] ?? ''
}
