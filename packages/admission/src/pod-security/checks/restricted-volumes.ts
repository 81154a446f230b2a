import type { Volume } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames, formatPlural, quoteItems, sortItems } from '../phrases.ts'

const allowed = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const
/** Volume types that the restricted level forbids. Messages name the first one that is set. */
const restricted = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const

function getVolumeType(volume: DeepReadonly<Volume>): string {
  return restricted.find((type) => volume[type] !== undefined) ?? 'unknown'
}

const check: CheckPod = ({ spec }) => {
  const violating = (spec.volumes ?? []).filter((volume) => !allowed.some((type) => volume[type] !== undefined))
  if (violating.length === 0) return undefined
  const types = sortItems(violating.map(getVolumeType))
  const subject = formatPlural(types.length, 'restricted volume type')
  return {
    reason: 'restricted volume types',
    detail: `${formatContainerNames(violating, 'volume')} ${formatPlural(violating.length, 'uses', 'use')} ${subject} ${quoteItems(types)}`,
  }
}

export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  versions: [{ from: 0, check }],
  overrides: ['hostPathVolumes'],
}
