import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import type { StorageClass } from '@keelson/api/storage/v1'
import { maybeThen } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { listObjects } from '../find-object.ts'

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
      return maybeThen(listObjects<StorageClass>(dependencies, storageClasses, attributes), (classes) => {
        const name = newestDefault(classes)
        if (name !== undefined) (claim.spec ??= {}).storageClassName = name
      })
    },
  }
}

/** Returns the newest default storage class. If several are equally old, returns the first by name. */
function newestDefault(classes: readonly DeepReadonly<StorageClass>[]): string | undefined {
  const defaults = classes.filter(({ metadata }) => defaultAnnotations.some((key) => metadata.annotations?.[key] === 'true'))
  return defaults.map(({ metadata: { name = '', creationTimestamp = '' } }) => ({ name, creationTimestamp })).toSorted(newestFirst)[0]?.name
}

interface Age {
  readonly name: string
  readonly creationTimestamp: string
}

function newestFirst(a: Age, b: Age): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? 1 : -1
  return a.name < b.name ? -1 : 1
}
