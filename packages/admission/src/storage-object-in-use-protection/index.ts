import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'

const finalizers: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
}

/** Adds finalizers that keep volumes and claims until a controller finds them unused. */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    operations: ['CREATE'],
    admit({ resource, subresource, object }: AdmissionAttributes) {
      if (subresource !== '' || object === undefined) return
      const finalizer = finalizers[`${resource.group}/${resource.resource}`]
      if (finalizer === undefined) return
      const present = (object.metadata.finalizers ??= [])
      if (!present.includes(finalizer)) present.push(finalizer)
    },
  }
}
