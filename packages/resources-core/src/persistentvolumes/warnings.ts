import type { PersistentVolume, PersistentVolumeSource } from '@keelson/api/core/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { findNodeTermWarnings } from '../pod-spec/node-label-warnings.ts'
import { storageClassAnnotation, storageClassAnnotationMessage } from '../storage-class-name.ts'

const annotations: readonly (readonly [key: string, message: string])[] = [
  [storageClassAnnotation, storageClassAnnotationMessage],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
]

/** Volume sources that no longer work, in the order of their warnings. */
const sources: readonly (readonly [member: keyof PersistentVolumeSource, message: string, named?: string])[] = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

export function findPersistentVolumeWarnings({ metadata, spec = {} }: DeepReadonly<PersistentVolume>): readonly string[] {
  const specPath = newFieldPath('spec')
  const termsPath = specPath.child('nodeAffinity', 'required', 'nodeSelectorTerms')
  const recycleWarning = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'
  return [
    ...annotations.flatMap(([key, message]) =>
      metadata.annotations?.[key] === undefined ? [] : [`${newFieldPath('metadata', 'annotations').key(key)}: ${message}`],
    ),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle' ? [`${specPath.child('persistentVolumeReclaimPolicy')}: ${recycleWarning}`] : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
      findNodeTermWarnings(term, { path: termsPath.index(i), checkValues: false }),
    ),
    ...sources.flatMap(([member, message, named = member]) => (spec[member] === undefined ? [] : [`${specPath.child(named)}: ${message}`])),
  ]
}
