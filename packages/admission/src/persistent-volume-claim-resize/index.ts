import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { StorageClass } from '@keelson/api/storage/v1'
import { runAfter, parseQuantity } from '@keelson/apimachinery'
import type { Quantity } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObjectLenient } from '../find-object.ts'
import { newForbiddenWrite } from '../forbidden.ts'

const storageClasses = { group: 'storage.k8s.io', resource: 'storageclasses' }
const unsupported = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'

/**
 * Creates the plugin PersistentVolumeClaimResize. It rejects the growth of a claim unless the claim is bound and its storage class allows
 * expansion.
 */
export function createPersistentVolumeClaimResizePlugin(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    resources: ['persistentvolumeclaims'],
    validate(attributes: AdmissionAttributes) {
      const claim = attributes.object as PersistentVolumeClaim
      const old = attributes.oldObject as PersistentVolumeClaim
      if (getRequestedSize(claim).compare(getRequestedSize(old)) <= 0) return
      if (old.status?.phase !== 'Bound') throw newForbiddenWrite(attributes, 'Only bound persistent volume claims can be expanded')
      const name = getClassName(claim)
      if (name === '' || name !== getClassName(old)) throw newForbiddenWrite(attributes, unsupported)
      return runAfter(findObjectLenient<StorageClass>(dependencies, storageClasses, { name }), (storageClass) => {
        if (storageClass?.allowVolumeExpansion !== true) throw newForbiddenWrite(attributes, unsupported)
      })
    },
  }
}

function getRequestedSize(claim: PersistentVolumeClaim): Quantity {
  return parseQuantity(claim.spec?.resources?.requests?.['storage'] ?? '0')
}

function getClassName(claim: PersistentVolumeClaim): string {
  return claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? ''
}
