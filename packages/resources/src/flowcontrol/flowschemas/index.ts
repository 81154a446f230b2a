import type { FlowSchema } from '@keelson/api/flowcontrol/v1'
import { ageColumn, defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { createStatusSubresource, createSpecStrategy } from '../status.ts'
import { validateFlowSchema } from './validate.ts'

/** The definition of flow schemas, which assign requests to a priority level and group them into flows. */
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
    ...createSpecStrategy<FlowSchema>(),
    repeatedMetadataChecks: 'create',
    validateCreate: (_context, schema) => validateFlowSchema(schema),
    validateUpdate: (_context, schema) => validateFlowSchema(schema),
  },
  subresources: { status: createStatusSubresource() },
  allColumns: [
    nameColumn,
    { name: 'PriorityLevel', description: 'Name of the priority level.', value: ({ spec }) => spec?.priorityLevelConfiguration.name ?? '' },
    {
      name: 'MatchingPrecedence',
      description: 'Schemas with lower values match first.',
      value: ({ spec }) => spec?.matchingPrecedence ?? 0,
    },
    {
      name: 'DistinguisherMethod',
      description: 'Attribute that separates the flows of the schema.',
      value: ({ spec }) => spec?.distinguisherMethod?.type ?? '<none>',
    },
    ageColumn,
    {
      name: 'MissingPL',
      description: 'True if the priority level does not exist.',
      value: ({ status }) => (status?.conditions ?? []).find(({ type }) => type === 'Dangling')?.status ?? '?',
    },
  ],
})
