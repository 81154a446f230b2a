import type { PriorityLevelConfiguration, QueuingConfiguration } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition, TableCell } from '@keelson/registry'
import { createStatusSubresource, createSpecStrategy } from '../status.ts'
import { validatePriorityLevel } from './validate.ts'

type ReadonlyLevel = DeepReadonly<PriorityLevelConfiguration>

/**
 * The definition of priority levels, which reserve a share of the server's concurrency for requests, and queue or reject further requests.
 */
export const priorityLevelConfigurations: ResourceDefinition<PriorityLevelConfiguration> = defineResource<PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  scope: 'Cluster',
  setDefaults: setPriorityLevelDefaults,
  strategy: {
    ...createSpecStrategy<PriorityLevelConfiguration>(),
    repeatedMetadataChecks: 'create',
    validateCreate: (_context, level) => validatePriorityLevel(level),
    validateUpdate: (_context, level) => validatePriorityLevel(level),
  },
  subresources: { status: createStatusSubresource() },
  columns: [
    { name: 'Type', description: 'Limited or Exempt.', value: ({ spec }) => spec?.type ?? '' },
    {
      name: 'NominalConcurrencyShares',
      description: "Share of the server's concurrent requests.",
      value: ({ spec }) => spec?.limited?.nominalConcurrencyShares ?? '<none>',
    },
    { name: 'Queues', description: 'Number of queues.', value: (level) => printQueuing(level, 'queues') },
    { name: 'HandSize', description: 'Number of queues each flow is spread over.', value: (level) => printQueuing(level, 'handSize') },
    {
      name: 'QueueLengthLimit',
      description: 'Maximum number of requests in a queue.',
      value: (level) => printQueuing(level, 'queueLengthLimit'),
    },
  ],
})

function printQueuing({ spec }: ReadonlyLevel, member: keyof QueuingConfiguration): TableCell {
  return spec?.limited?.limitResponse?.queuing?.[member] ?? '<none>'
}

function setPriorityLevelDefaults({ spec }: PriorityLevelConfiguration): void {
  const { limited, exempt } = spec ?? {}
  if (exempt !== undefined) {
    exempt.nominalConcurrencyShares ??= 0
    exempt.lendablePercent ??= 0
  }
  if (limited === undefined) return
  limited.nominalConcurrencyShares ??= 30
  limited.lendablePercent ??= 0
  const { queuing } = limited.limitResponse ?? {}
  if (queuing === undefined) return
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}
