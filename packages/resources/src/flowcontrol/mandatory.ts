import type { FlowSchemaSpec, PolicyRulesWithSubjects, PriorityLevelConfigurationSpec, Subject } from '@keelson/api/flowcontrol/v1'
import { authenticatedGroup, mastersGroup, unauthenticatedGroup } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

export function matchGroups(...groups: readonly string[]): PolicyRulesWithSubjects {
  return matchSubjects(groups.map((name) => ({ kind: 'Group', group: { name } })))
}

export function matchSubjects(subjects: Subject[]): PolicyRulesWithSubjects {
  return {
    subjects,
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  }
}

/** Specs of the mandatory flow schemas by name. They are immutable. */
export const mandatoryFlowSchemas: ReadonlyMap<string, DeepReadonly<FlowSchemaSpec>> = new Map([
  ['exempt', { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [matchGroups(mastersGroup)] }],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [matchGroups(unauthenticatedGroup, authenticatedGroup)],
    },
  ],
])

/** Specs of the mandatory priority levels by name. Only `spec.exempt` of the exempt level is mutable. */
export const mandatoryPriorityLevels: ReadonlyMap<string, DeepReadonly<PriorityLevelConfigurationSpec>> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ['catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }],
])
