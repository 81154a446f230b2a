import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '@keelson/api/storage/v1'
import {
  measureUtf8Bytes,
  fieldError,
  newFieldPath,
  formatInclusiveRangeMessage,
  nameIsDNSSubdomain,
  validateImmutableField,
  createVerbatimValue,
  goJson,
  equalsSemantically,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { createInvalidErrors, validateCSIDriverName, validateInlineVolumeSpec } from '@keelson/resources-core'

type ReadonlyAttachment = DeepReadonly<VolumeAttachment>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const maxMetadataSize = 256 * 1024
const maxMessageLength = 1024
const maxErrorCode = 2 ** 31 - 1

export function validateVolumeAttachment({ spec, status }: ReadonlyAttachment): FieldErrorList {
  const { attacher, source, nodeName } = spec
  const { attachmentMetadata = {}, attachError, detachError } = status ?? {}
  const size = Object.entries(attachmentMetadata).reduce((sum, [key, value]) => sum + measureUtf8Bytes(key) + measureUtf8Bytes(value), 0)
  const { persistentVolumeName } = source
  return [
    ...validateCSIDriverName(attacher, specPath.child('attacher')),
    ...validateSource(source, specPath.child('source')),
    ...createInvalidErrors(nameIsDNSSubdomain(nodeName, false), nodeName, specPath.child('nodeName')),
    ...(size > maxMetadataSize ? [fieldError.tooLong(statusPath.child('attachmentMetadata'), maxMetadataSize)] : []),
    ...validateVolumeError(attachError, statusPath.child('attachError')),
    ...validateVolumeError(detachError, statusPath.child('detachError')),
    ...(persistentVolumeName === undefined
      ? []
      : createInvalidErrors(
          nameIsDNSSubdomain(persistentVolumeName, false),
          persistentVolumeName,
          specPath.child('source', 'persistentVolumeName'),
        )),
  ]
}

export function validateVolumeAttachmentUpdate(attachment: ReadonlyAttachment, old: ReadonlyAttachment): FieldErrorList {
  const errors = validateVolumeAttachment(attachment)
  if (equalsSemantically(attachment.spec, old.spec)) return errors
  return [...errors, ...validateImmutableField(createVerbatimValue(goJson(toPrintedSpec(attachment))), null, specPath)]
}

function validateSource({ persistentVolumeName, inlineVolumeSpec }: DeepReadonly<VolumeAttachmentSource>, path: FieldPath): FieldErrorList {
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined) return [fieldError.forbidden(path, exactlyOne)]
  if (inlineVolumeSpec !== undefined) return validateInlineVolumeSpec(inlineVolumeSpec, path.child('inlineVolumeSpec'))
  if (persistentVolumeName === undefined) return [fieldError.required(path, exactlyOne)]
  return persistentVolumeName === ''
    ? [fieldError.required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')]
    : []
}

function validateVolumeError(error: DeepReadonly<VolumeError> | undefined, path: FieldPath): FieldErrorList {
  const { message = '', errorCode = 0 } = error ?? {}
  return [
    // Like in kube-apiserver, the message contains the limit of another field.
    ...(measureUtf8Bytes(message) > maxMessageLength ? [fieldError.tooLong(path.child('message'), maxMetadataSize)] : []),
    ...(errorCode < 0 ? [fieldError.invalid(path.child('errorCode'), errorCode, formatInclusiveRangeMessage(0, maxErrorCode))] : []),
  ]
}

/** Converts the spec to the Go struct that kube-apiserver prints. */
function toPrintedSpec({ spec: { attacher, source, nodeName } }: ReadonlyAttachment): object {
  const { persistentVolumeName = null, inlineVolumeSpec = null } = source
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: nodeName,
  }
}
