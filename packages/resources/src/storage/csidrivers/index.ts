import type { CSIDriver, CSIDriverSpec } from '@keelson/api/storage/v1'
import { equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { csiDriverColumns } from './columns.ts'
import { validateCSIDriver, validateCSIDriverUpdate } from './validate.ts'

const tokensWarning =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

export const csiDrivers: ResourceDefinition<CSIDriver> = defineResource<CSIDriver>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  scope: 'Cluster',
  returnsDeletedObject: true,
  setDefaults: setCSIDriverDefaults,
  strategy: {
    repeatedMetadataChecks: 'update',
    allowUnconditionalUpdate: false,
    prepareForCreate: (_context, { spec }) => dropSchedulingPrevention(spec),
    prepareForUpdate(_context, driver, old) {
      dropSchedulingPrevention(driver.spec, old.spec)
      if (!equalsSemantically(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1
    },
    validateCreate: (_context, driver) => validateCSIDriver(driver),
    warningsOnCreate: (_context, { spec }) => findTokenWarnings(spec),
    validateUpdate: (_context, driver, old) => validateCSIDriverUpdate(driver, old),
    warningsOnUpdate: (_context, { spec }, old) =>
      equalsSemantically(spec.tokenRequests, old.spec.tokenRequests) ? [] : findTokenWarnings(spec),
  },
  columns: csiDriverColumns,
})

/** Drops `preventPodSchedulingIfMissing`, which is off by default, unless the stored object already uses it. */
function dropSchedulingPrevention(spec: CSIDriverSpec, old?: DeepReadonly<CSIDriverSpec>): void {
  if (old?.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing
}

function findTokenWarnings({ tokenRequests = [], serviceAccountTokenInSecrets }: DeepReadonly<CSIDriverSpec>): string[] {
  return tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined ? [tokensWarning] : []
}

function setCSIDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true
  spec.podInfoOnMount ??= false
  spec.storageCapacity ??= false
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent']
  spec.requiresRepublish ??= false
  spec.seLinuxMount ??= false
}
