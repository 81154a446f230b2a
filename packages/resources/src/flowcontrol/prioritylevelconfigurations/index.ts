import type { PriorityLevelConfiguration, QueuingConfiguration } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition, TableCell } from '@keelson/registry'
import { conditionsOnly, ownStatus } from '../status.ts'
import { setPriorityLevelDefaults } from './defaults.ts'
import { validatePriorityLevel } from './validate.ts'

type ReadonlyLevel = DeepReadonly<PriorityLevelConfiguration>

/** How much of the server is for the requests of one priority, and what becomes of those that are too many. */
export const priorityLevelConfigurations: ResourceDefinition<PriorityLevelConfiguration> = defineResource<PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  scope: 'Cluster',
  setDefaults: setPriorityLevelDefaults,
  strategy: {
    ...ownStatus<PriorityLevelConfiguration>(),
    repeatedMetadataChecks: 'create',
    validateCreate: (_context, level) => validatePriorityLevel(level),
    validateUpdate: (_context, level) => validatePriorityLevel(level),
  },
  subresources: { status: conditionsOnly() },
  columns: [
    { name: 'Type', description: 'Whether there is a limit.', value: ({ spec }) => spec?.type ?? '' },
    {
      name: 'NominalConcurrencyShares',
      description: 'Its share of the requests served at once.',
      value: ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? '<none>',
    },
    { name: 'Queues', description: 'How many queues there are.', value: (level) => queuing(level, 'queues') },
    { name: 'HandSize', description: 'How many of them a flow is spread over.', value: (level) => queuing(level, 'handSize') },
    { name: 'QueueLengthLimit', description: 'How many may wait in one.', value: (level) => queuing(level, 'queueLengthLimit') },
  ],
})

function queuing({ spec }: ReadonlyLevel, member: keyof QueuingConfiguration): TableCell {
  return spec?.limited?.limitResponse?.queuing?.[member] ?? '<none>'
}
