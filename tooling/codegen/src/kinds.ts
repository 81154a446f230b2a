/** Exceptions to `isKind`: kinds without object or list metadata, and messages with metadata that are not kinds. */
const kindsWithoutMetadata = names({
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

const notKinds = names({
  'batch.v1': 'JobTemplateSpec',
  'batch.v1beta1': 'JobTemplateSpec',
  'core.v1': 'PersistentVolumeClaimTemplate PodTemplateSpec',
  'resource.v1': 'ResourceClaimTemplateSpec',
  'resource.v1beta1': 'ResourceClaimTemplateSpec',
  'resource.v1beta2': 'ResourceClaimTemplateSpec',
})

function names(table: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(Object.entries(table).flatMap(([place, list]) => list.split(' ').map((name) => `${place}.${name}`)))
}

export function isKind(folder: string, message: string, metadataType: string | undefined): boolean {
  const name = `${folder.replace('/', '.')}.${message}`
  if (kindsWithoutMetadata.has(name)) return true
  return metadataType !== undefined && /(^|\.)(ObjectMeta|ListMeta)$/.test(metadataType) && !notKinds.has(name)
}

/** Reports whether a kind is sent without kind and apiVersion. Watch events have a kind only for lookup. */
export function isBareKind(folder: string, message: string): boolean {
  return folder === 'meta/v1' && message === 'WatchEvent'
}

/** Kinds of meta/v1 in the group meta.k8s.io. The other kinds are served as "v1". */
export const metaGroupKinds: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList', 'TableOptions'])
