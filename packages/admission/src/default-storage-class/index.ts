import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { StorageClass } from '@keelson/api/storage/v1'
import { runAfter } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'
import { findNewestDefault } from '../newest-default.ts'

const storageClasses = { group: 'storage.k8s.io', resource: 'storageclasses' }
const classAnnotation = 'volume.beta.kubernetes.io/storage-class'
const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

/**
 * Creates the plugin DefaultStorageClass. It sets the default storage class on claims without a class. An empty class name counts as a
 * class.
 */
export function defaultStorageClass(dependencies: PluginDependencies): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    operations: ['CREATE'],
    resources: ['persistentvolumeclaims'],
    admit(attributes: AdmissionAttributes) {
      const claim = attributes.object as PersistentVolumeClaim
      if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[classAnnotation] !== undefined) return
      return runAfter(listObjects<StorageClass>(dependencies, storageClasses, attributes), (classes) => {
        const name = findNewestDefault(classes, defaultAnnotations)
        if (name !== undefined) (claim.spec ??= {}).storageClassName = name
      })
    },
  }
}
