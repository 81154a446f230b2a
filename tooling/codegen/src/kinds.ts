/** Kinds without object or list metadata, and messages that have metadata and are no kind: the rule in `isKind` cannot tell. */
const kindsWithoutMetadata = new Set([
  ...['admission.v1.AdmissionReview', 'admission.v1beta1.AdmissionReview'],
  ...['apps.v1beta1.DeploymentRollback', 'extensions.v1beta1.DeploymentRollback'],
  ...['core.v1.NodeProxyOptions', 'core.v1.PodAttachOptions', 'core.v1.PodExecOptions', 'core.v1.PodLogOptions'],
  ...['core.v1.PodPortForwardOptions', 'core.v1.PodProxyOptions', 'core.v1.SerializedReference', 'core.v1.ServiceProxyOptions'],
  ...['apiextensions.v1.ConversionReview', 'apiextensions.v1beta1.ConversionReview', 'audit.v1.Event'],
  ...['meta.v1.APIGroup', 'meta.v1.APIGroupList', 'meta.v1.APIResourceList', 'meta.v1.APIVersions', 'meta.v1.ApplyOptions'],
  ...['meta.v1.CreateOptions', 'meta.v1.DeleteOptions', 'meta.v1.GetOptions', 'meta.v1.ListOptions', 'meta.v1.PatchOptions'],
  ...['meta.v1.TableOptions', 'meta.v1.UpdateOptions', 'meta.v1.WatchEvent'],
])

const notKinds = new Set([
  ...['batch.v1.JobTemplateSpec', 'batch.v1beta1.JobTemplateSpec', 'core.v1.PersistentVolumeClaimTemplate', 'core.v1.PodTemplateSpec'],
  ...['resource.v1.ResourceClaimTemplateSpec', 'resource.v1beta1.ResourceClaimTemplateSpec', 'resource.v1beta2.ResourceClaimTemplateSpec'],
])

export function isKind(folder: string, message: string, metadataType: string | undefined): boolean {
  const name = `${folder.replace('/', '.')}.${message}`
  if (kindsWithoutMetadata.has(name)) return true
  return metadataType !== undefined && /(^|\.)(ObjectMeta|ListMeta)$/.test(metadataType) && !notKinds.has(name)
}

/** Kinds of meta/v1 that belong to meta.k8s.io; its others are served as plain "v1". */
export const metaGroupKinds: ReadonlySet<string> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList', 'TableOptions'])
