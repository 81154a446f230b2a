import type { FlowSchemaSpec, PolicyRulesWithSubjects, PriorityLevelConfigurationSpec, Subject } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

export function everythingOf(...groups: readonly string[]): PolicyRulesWithSubjects {
  return everything(groups.map((name) => ({ kind: 'Group', group: { name } })))
}

export function everything(subjects: Subject[]): PolicyRulesWithSubjects {
  return {
    subjects,
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  }
}

/** What every server has, by name; nobody may make it anything else. */
export const mandatoryFlowSchemas: ReadonlyMap<string, DeepReadonly<FlowSchemaSpec>> = new Map([
  ['exempt', { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [everythingOf('system:masters')] }],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [everythingOf('system:unauthenticated', 'system:authenticated')],
    },
  ],
])

/** The same; only how much the exempt level lends may change. */
export const mandatoryPriorityLevels: ReadonlyMap<string, DeepReadonly<PriorityLevelConfigurationSpec>> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ['catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }],
])
