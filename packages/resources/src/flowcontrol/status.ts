import { copyObject, fieldError, newFieldPath, repeatCheck, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, KubeObject } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'

interface WithConditions extends KubeObject {
  spec?: object
  status?: { conditions?: { type?: string }[] }
}

/** Builds the common strategy hooks of both kinds: they count changes of the spec and ignore the status. */
export function createSpecStrategy<T extends WithConditions>(): Pick<Strategy<T>, 'resetFields' | 'prepareForCreate' | 'prepareForUpdate'> {
  return {
    resetFields: withoutFields('status'),
    prepareForCreate(_context, object) {
      object.status = {}
      object.metadata.generation = 1
    },
    prepareForUpdate(_context, object, old) {
      const { spec = {}, metadata } = old as DeepReadonly<WithConditions>
      if (!equalsSemantically(object.spec ?? {}, spec)) object.metadata.generation = (metadata.generation ?? 0) + 1
      keepMember(object, old, 'status')
    },
  }
}

export function createStatusSubresource<T extends WithConditions>(): SubresourceStrategy<T> {
  return {
    update: {
      resetFields: withoutFields('metadata', 'spec'),
      prepareForUpdate(_context, object, old) {
        const { managedFields } = object.metadata
        const { managedFields: _stored, ...metadata } = copyObject((old as DeepReadonly<WithConditions>).metadata)
        object.metadata = { ...(metadata as T['metadata']), ...(managedFields && { managedFields }) }
        keepMember(object, old, 'spec')
      },
      validateUpdate: (_context, object) => validateStatus(object),
    },
  }
}

export function validateStatus({ status }: DeepReadonly<WithConditions>): FieldErrorList {
  const path = newFieldPath('status', 'conditions')
  const types = (status?.conditions ?? []).map(({ type = '' }) => type)
  const errors: FieldErrorList = []
  const isRepeated = repeatCheck<string>()
  for (const [i, type] of types.entries()) {
    const at = path.index(i).child('type')
    if (isRepeated(type)) errors.push(fieldError.duplicate(at, type))
    if (type === '') errors.push(fieldError.required(at))
  }
  return errors
}
