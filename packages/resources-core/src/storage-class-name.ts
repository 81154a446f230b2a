/** Where the class was written before there was a field for it; it still decides. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class'

export const storageClassAnnotationMessage = 'deprecated since v1.8; use "storageClassName" attribute instead'

interface Classed {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: { readonly storageClassName?: string }
}

export function storageClassOf({ metadata, spec }: Classed): string {
  return metadata.annotations?.[storageClassAnnotation] ?? spec?.storageClassName ?? ''
}
