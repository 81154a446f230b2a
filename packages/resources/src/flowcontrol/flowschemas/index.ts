import type { FlowSchema } from '@keelson/api/flowcontrol/v1'
import { ageColumn, defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { conditionsOnly, ownStatus } from '../status.ts'
import { validateFlowSchema } from './validate.ts'

/** Which requests belong together, and at which priority. */
export const flowSchemas: ResourceDefinition<FlowSchema> = defineResource<FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  scope: 'Cluster',
  setDefaults({ spec }) {
    if (spec !== undefined) spec.matchingPrecedence ||= 1000
  },
  strategy: {
    ...ownStatus<FlowSchema>(),
    repeatedMetadataChecks: 'create',
    validateCreate: (_context, schema) => validateFlowSchema(schema),
    validateUpdate: (_context, schema) => validateFlowSchema(schema),
  },
  subresources: { status: conditionsOnly() },
  allColumns: [
    nameColumn,
    { name: 'PriorityLevel', description: 'The priority.', value: ({ spec }) => spec?.priorityLevelConfiguration.name ?? '' },
    { name: 'MatchingPrecedence', description: 'Lower ones are asked first.', value: ({ spec }) => spec?.matchingPrecedence ?? 0 },
    {
      name: 'DistinguisherMethod',
      description: 'What makes requests another flow.',
      value: ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>',
    },
    ageColumn,
    {
      name: 'MissingPL',
      description: 'Whether there is no such priority.',
      value: ({ status }) => (status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
    },
  ],
})
