import type { LimitRange } from '@keelson/api/core/v1'
import { newUid } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setLimitRangeDefaults } from './defaults.ts'
import { validateLimitRange } from './validate.ts'

export const limitRanges: ResourceDefinition<LimitRange> = defineResource<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  scope: 'Namespaced',
  shortNames: ['limits'],
  setDefaults: setLimitRangeDefaults,
  strategy: {
    allowCreateOnUpdate: true,
    repeatedMetadataChecks: 'create',
    prepareForCreate(_context, { metadata }) {
      // LimitRange is the only kind that may be created without a name.
      metadata.name ||= newUid()
    },
    validateCreate: (_context, limitRange) => validateLimitRange(limitRange),
    validateUpdate: (_context, limitRange) => validateLimitRange(limitRange),
  },
})
