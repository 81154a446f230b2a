import type { VolumeAttributesClass } from '@keelson/api/storage/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateDriver, validateParameters } from '../driver-parameters.ts'

export const volumeAttributesClasses: ResourceDefinition<VolumeAttributesClass> = defineResource<VolumeAttributesClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  alsoServedAs: [
    { group: 'storage.k8s.io', version: 'v1beta1', deprecated: { since: '1.34', gone: '1.37', replacement: 'storage.k8s.io/v1' } },
  ],
  scope: 'Cluster',
  shortNames: ['vac'],
  returnsDeletedObject: true,
  strategy: {
    validateCreate: (_context, volumeClass) => validateClass(volumeClass),
    validateUpdate: (_context, volumeClass, old) => validateClassUpdate(volumeClass, old),
  },
  columns: [{ name: 'DriverName', description: 'Name of the driver that applies the attributes.', value: ({ driverName }) => driverName }],
})

function validateClass({ driverName, parameters = {} }: DeepReadonly<VolumeAttributesClass>): FieldErrorList {
  const path = newFieldPath('parameters')
  return [
    ...validateDriver(driverName, newFieldPath('driverName')),
    ...validateParameters(parameters, path),
    ...(Object.keys(parameters).length === 0 ? [fieldError.required(path, 'must contain at least one key/value pair')] : []),
  ]
}

function validateClassUpdate(volumeClass: DeepReadonly<VolumeAttributesClass>, old: DeepReadonly<VolumeAttributesClass>): FieldErrorList {
  const validateUnchanged = (member: 'driverName' | 'parameters', isUnchanged: boolean): FieldErrorList =>
    isUnchanged ? [] : [fieldError.forbidden(newFieldPath(member), `updates to ${member} are forbidden.`)]
  return [
    ...validateUnchanged('driverName', volumeClass.driverName === old.driverName),
    ...validateUnchanged('parameters', equalsSemantically(volumeClass.parameters ?? {}, old.parameters ?? {})),
    ...validateClass(volumeClass),
  ]
}
