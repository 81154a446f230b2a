/** Kinds that have neither object nor list metadata. `isKind` would not recognize them by their metadata. */
const kindsWithoutMetadata = collectNames({
  'admission.v1': 'AdmissionReview',
  'admission.v1beta1': 'AdmissionReview',
  'apiextensions.v1': 'ConversionReview',
  'apiextensions.v1beta1': 'ConversionReview',
  'apps.v1beta1': 'DeploymentRollback',
  'audit.v1': 'Event',
  'core.v1':
    'NodeProxyOptions PodAttachOptions PodExecOptions PodLogOptions PodPortForwardOptions PodProxyOptions SerializedReference ServiceProxyOptions',
  'extensions.v1beta1': 'DeploymentRollback',
  'meta.v1':
    'APIGroup APIGroupList APIResourceList APIVersions ApplyOptions CreateOptions DeleteOptions GetOptions ListOptions PatchOptions TableOptions UpdateOptions WatchEvent',
})

const notKinds = collectNames({
  'batch.v1': 'JobTemplateSpec',
  'batch.v1beta1': 'JobTemplateSpec',
  'core.v1': 'PersistentVolumeClaimTemplate PodTemplateSpec',
  'resource.v1': 'ResourceClaimTemplateSpec',
  'resource.v1beta1': 'ResourceClaimTemplateSpec',
  'resource.v1beta2': 'ResourceClaimTemplateSpec',
})

function collectNames(table: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(Object.entries(table).flatMap(([place, list]) => list.split(' ').map((name) => `${place}.${name}`)))
}

export function isKind(folder: string, message: string, metadataType: string | undefined): boolean {
  const name = `${folder.replace('/', '.')}.${message}`
  if (kindsWithoutMetadata.has(name)) return true
  return metadataType !== undefined && /(^|\.)(ObjectMeta|ListMeta)$/.test(metadataType) && !notKinds.has(name)
}

/** Returns whether the JSON of a kind has no `kind` and `apiVersion`. This applies to watch events. */
export function isBareKind(folder: string, message: string): boolean {
  return folder === 'meta/v1' && message === 'WatchEvent'
}

/** Kinds of meta/v1 whose API version is meta.k8s.io/v1. The other kinds of meta/v1 have the API version v1. */
export const metaGroupKinds: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList', 'TableOptions'])
