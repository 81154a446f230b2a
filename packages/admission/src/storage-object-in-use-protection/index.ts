import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
}

/**
 * Creates the plugin StorageObjectInUseProtection. It adds finalizers to volumes and claims, which a controller removes when they are
 * unused.
 */
export function createStorageObjectInUseProtectionPlugin(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    operations: ['CREATE'],
    resources: ['persistentvolumes', 'persistentvolumeclaims', 'volumeattributesclasses.storage.k8s.io'],
    admit({ resource, object }: AdmissionAttributes) {
      const finalizer = finalizers[resource.resource]!
      const present = (object!.metadata.finalizers ??= [])
      if (!present.includes(finalizer)) present.push(finalizer)
    },
  }
}
