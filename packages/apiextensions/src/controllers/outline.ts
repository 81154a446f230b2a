import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import { mapList } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { approvalAnnotation } from '../definitions/api-approval.ts'

/** Decodes a stored definition without the schemas of its versions, managed fields, and annotations other than the API approval. */
export function readOutline(stored: StoredObject<CustomResourceDefinition>): DeepReadonly<CustomResourceDefinition> {
  const { metadata, spec, ...otherMembers } = stored.copy()
  const approval = metadata.annotations?.[approvalAnnotation]
  // Annotations may contain a copy of the whole definition, from kubectl apply.
  const { annotations: _annotations, managedFields: _managedFields, ...keptMetadata } = metadata
  if (approval !== undefined) Object.assign(keptMetadata, { annotations: { [approvalAnnotation]: approval } })
  const versions = spec.versions && mapList(spec.versions, ({ schema: _schema, ...version }) => version)
  return { ...otherMembers, metadata: keptMetadata, spec: { ...spec, ...(versions && { versions }) } }
}
