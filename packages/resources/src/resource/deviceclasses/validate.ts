import type { DeviceClass } from '@keelson/api/resource/v1'
import { fieldError, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { isExtendedResource } from '@keelson/resources-core'
import { validateConfiguration } from '../configuration.ts'
import { validateList } from '../lists.ts'
import { validateSelectors } from '../selectors.ts'

type ReadonlyClass = DeepReadonly<DeviceClass>

const specPath = newFieldPath('spec')
const maxConfigurations = 32

/** Validates a device class. Unchanged selectors are not validated, and unchanged parameters can have any length (ratcheting). */
export function validateDeviceClass(
  { spec }: ReadonlyClass,
  { old, steps }: { readonly old?: ReadonlyClass; readonly steps?: ValidationSteps | undefined } = {},
): FieldErrorList {
  const { selectors, config, extendedResourceName: name } = spec
  const sameSelectors = old !== undefined && equalsSemantically(selectors, old.spec.selectors)
  const sameConfig = old !== undefined && equalsSemantically(config, old.spec.config)
  const isInvalidName = name !== undefined && !(name.includes('/') && isExtendedResource(name))
  return [
    ...(sameSelectors ? [] : validateSelectors(selectors, specPath.child('selectors'), steps)),
    ...validateList(config, maxConfigurations, (item, path) => validateConfiguration(item, path, sameConfig), specPath.child('config')),
    ...(isInvalidName ? [fieldError.invalid(specPath.child('extendedResourceName'), name, 'must be a valid extended resource name')] : []),
  ]
}
