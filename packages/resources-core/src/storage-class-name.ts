/** Deprecated annotation that contains the name of the storage class. It overrides `storageClassName`. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class'

export const storageClassAnnotationMessage = 'deprecated since v1.8; use "storageClassName" attribute instead'

interface Classed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: { readonly storageClassName?: string }
}

export function getStorageClass({ metadata, spec }: Classed): string {
  return metadata.annotations?.[storageClassAnnotation] ?? spec?.storageClassName ?? ''
}
