import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from '@keelson/api/flowcontrol/v1'
import { authenticatedGroup, unauthenticatedGroup } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { matchSubjects, matchGroups, mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.ts'

/** Builds a limited priority level with queues. */
function createQueuedLevel(shares: number, lendablePercent: number, queues: number, handSize = 6): PriorityLevelConfigurationSpec {
  const queuing = { queues, handSize, queueLengthLimit: 50 }
  return { type: 'Limited', limited: { nominalConcurrencyShares: shares, lendablePercent, limitResponse: { type: 'Queue', queuing } } }
}

const suggestedLevels: readonly (readonly [string, PriorityLevelConfigurationSpec])[] = [
  ['system', createQueuedLevel(30, 33, 64)],
  ['node-high', createQueuedLevel(40, 25, 64)],
  ['leader-election', createQueuedLevel(10, 0, 16, 4)],
  ['workload-high', createQueuedLevel(40, 50, 128)],
  ['workload-low', createQueuedLevel(100, 90, 128)],
  ['global-default', createQueuedLevel(20, 50, 128)],
]

const createUser = (name: string): Subject => ({ kind: 'User', user: { name } })
const systemAccounts: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }
const managers = ['system:kube-controller-manager', 'system:kube-scheduler'].map(createUser)
const allGroups = [unauthenticatedGroup, authenticatedGroup]

interface SuggestedSchema {
  readonly level: string
  readonly precedence: number
  /** The attribute by which requests are grouped into flows. Default: a single flow. */
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly rule: PolicyRulesWithSubjects
}

const createLeaseRule = (verbs: string[]): NonNullable<PolicyRulesWithSubjects['resourceRules']>[number] => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
})

const suggestedSchemas: readonly (readonly [string, SuggestedSchema])[] = [
  [
    'probes',
    {
      level: 'exempt',
      precedence: 2,
      rule: {
        subjects: matchGroups(...allGroups).subjects,
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      },
    },
  ],
  [
    'system-leader-election',
    {
      level: 'leader-election',
      precedence: 100,
      by: 'ByUser',
      rule: { subjects: [...managers, systemAccounts], resourceRules: [createLeaseRule(['get', 'create', 'update'])] },
    },
  ],
  [
    'system-node-high',
    {
      level: 'node-high',
      precedence: 400,
      by: 'ByUser',
      rule: {
        subjects: matchGroups('system:nodes').subjects,
        resourceRules: [
          { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
          createLeaseRule(['*']),
        ],
      },
    },
  ],
  ['system-nodes', { level: 'system', precedence: 500, by: 'ByUser', rule: matchGroups('system:nodes') }],
  ['kube-controller-manager', { level: 'workload-high', precedence: 800, by: 'ByNamespace', rule: matchSubjects([managers[0]!]) }],
  ['kube-scheduler', { level: 'workload-high', precedence: 800, by: 'ByNamespace', rule: matchSubjects([managers[1]!]) }],
  ['kube-system-service-accounts', { level: 'workload-high', precedence: 900, by: 'ByNamespace', rule: matchSubjects([systemAccounts]) }],
  ['service-accounts', { level: 'workload-low', precedence: 9000, by: 'ByUser', rule: matchGroups('system:serviceaccounts') }],
  ['global-default', { level: 'global-default', precedence: 9900, by: 'ByUser', rule: matchGroups(...allGroups) }],
]

function createSchemaSpec({ level, precedence, by, rule }: SuggestedSchema): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules: [rule],
  }
}

/**
 * Annotation that controls updates of the spec when the server starts. With "true", the server updates the spec. With "false", it keeps an
 * administrator's changes.
 */
export const autoUpdateAnnotation = 'apf.kubernetes.io/autoupdate-spec'

function toObject<Spec>([name, spec]: readonly [string, Spec]): { metadata: FlowSchema['metadata']; spec: Spec } {
  return { metadata: { name, annotations: { [autoUpdateAnnotation]: 'true' } }, spec }
}

/** Mandatory and suggested priority levels of a new cluster. They are created before flow schemas, which refer to them. */
export const bootstrapPriorityLevels: readonly DeepReadonly<PriorityLevelConfiguration>[] = [
  ...[...mandatoryPriorityLevels].map(toObject),
  ...suggestedLevels.map(toObject),
]
export const bootstrapFlowSchemas: readonly DeepReadonly<FlowSchema>[] = [
  ...[...mandatoryFlowSchemas].map(toObject),
  ...suggestedSchemas.map(([name, schema]) => toObject([name, createSchemaSpec(schema)])),
]
