import type { VolumeAttachment } from '@keelson/api/storage/v1'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource, resetMetadataForStatus } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember, setInlineVolumeDefaults } from '@keelson/resources-core'
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from './validate.ts'

export const volumeAttachments: ResourceDefinition<VolumeAttachment> = defineResource<VolumeAttachment>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  scope: 'Cluster',
  returnsDeletedObject: true,
  setDefaults(attachment) {
    const volume = attachment.spec?.source?.inlineVolumeSpec
    if (volume !== undefined) setInlineVolumeDefaults(volume)
  },
  strategy: {
    resetFields: withoutFields('status'),
    repeatedMetadataChecks: 'create',
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, attachment) {
      attachment.status = { attached: false }
    },
    prepareForUpdate: (_context, attachment, old) => keepMember(attachment, old, 'status'),
    validateCreate: (_context, attachment) => validateVolumeAttachment(attachment),
    validateUpdate: (_context, attachment, old) => validateVolumeAttachmentUpdate(attachment, old),
  },
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('metadata', 'spec'),
        prepareForUpdate(_context, attachment, old) {
          keepMember(attachment, old, 'spec')
          resetMetadataForStatus(attachment.metadata, old.metadata)
        },
        validateUpdate: (_context, attachment, old) => validateVolumeAttachmentUpdate(attachment, old),
      },
    },
  },
  columns: [
    { name: 'Attacher', format: 'name', description: 'Name of the attaching driver.', value: ({ spec }) => spec.attacher },
    { name: 'PV', description: 'Name of the persistent volume.', value: ({ spec }) => spec.source.persistentVolumeName ?? '' },
    { name: 'Node', description: 'Name of the node.', value: ({ spec }) => spec.nodeName },
    { name: 'Attached', type: 'boolean', description: 'True if the volume is attached.', value: ({ status }) => status?.attached ?? false },
  ],
})
