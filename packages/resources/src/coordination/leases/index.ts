import type { Lease, LeaseSpec } from '@keelson/api/coordination/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { validateQualifiedName, validateSupported } from '@keelson/resources-core'

const specPath = newFieldPath('spec')

export const leases: ResourceDefinition<Lease> = defineResource<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  strategy: {
    repeatedMetadataChecks: 'update',
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: (_context, lease) => dropElectionFields(lease),
    prepareForUpdate: (_context, lease, old) => dropElectionFields(lease, old),
    validateCreate: (_context, { spec = {} }) => validateLeaseSpec(spec),
    validateUpdate: (_context, { spec = {} }) => validateLeaseSpec(spec),
  },
  columns: [{ name: 'Holder', description: 'Identity of the current holder.', value: ({ spec }) => spec?.holderIdentity ?? '' }],
})

/** Drops the fields of coordinated leader election, which is off by default, unless the stored object already uses them. */
function dropElectionFields({ spec }: Lease, old?: DeepReadonly<Lease>): void {
  if (old?.spec?.strategy === undefined) delete spec?.strategy
  if (old?.spec?.preferredHolder === undefined) delete spec?.preferredHolder
}

function validateLeaseSpec({ leaseDurationSeconds, leaseTransitions, strategy, preferredHolder }: DeepReadonly<LeaseSpec>): FieldErrorList {
  const errors: FieldErrorList = []
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(fieldError.invalid(specPath.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'))
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(fieldError.invalid(specPath.child('leaseTransitions'), leaseTransitions, 'must be greater than or equal to 0'))
  }
  if (strategy !== undefined) errors.push(...validateStrategy(strategy))
  if (preferredHolder && !strategy) {
    errors.push(fieldError.forbidden(specPath.child('preferredHolder'), 'may only be specified if `strategy` is defined'))
  }
  return errors
}

/** Validates an election strategy: the built-in one, or the qualified name of another one. */
function validateStrategy(strategy: string): FieldErrorList {
  // Upstream repeats the field name in the path.
  const path = specPath.child('strategy').child('strategy')
  return strategy.includes('/') ? validateQualifiedName(strategy, path) : validateSupported(strategy, ['OldestEmulationVersion'], path)
}
