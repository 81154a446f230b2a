import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { everything, everythingOf, mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.ts'

/** A level's part of the server, how much of that it lends, and its queues. */
function queued(shares: number, lendablePercent: number, queues: number, handSize = 6): PriorityLevelConfigurationSpec {
  const queuing = { queues, handSize, queueLengthLimit: 50 }
  return { type: 'Limited', limited: { nominalConcurrencyShares: shares, lendablePercent, limitResponse: { type: 'Queue', queuing } } }
}

const suggestedLevels: readonly (readonly [string, PriorityLevelConfigurationSpec])[] = [
  ['system', queued(30, 33, 64)],
  ['node-high', queued(40, 25, 64)],
  ['leader-election', queued(10, 0, 16, 4)],
  ['workload-high', queued(40, 50, 128)],
  ['workload-low', queued(100, 90, 128)],
  ['global-default', queued(20, 50, 128)],
]

const user = (name: string): Subject => ({ kind: 'User', user: { name } })
const systemAccounts: Subject = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } }
const managers = ['system:kube-controller-manager', 'system:kube-scheduler'].map(user)
const everybody = ['system:unauthenticated', 'system:authenticated']

interface Distinguished {
  readonly level: string
  readonly precedence: number
  /** Whose requests wait in queues of their own. Default: everybody's together. */
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly rule: PolicyRulesWithSubjects
}

const leases = (verbs: string[]): NonNullable<PolicyRulesWithSubjects['resourceRules']>[number] => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
})

const suggestedSchemas: readonly (readonly [string, Distinguished])[] = [
  [
    'probes',
    {
      level: 'exempt',
      precedence: 2,
      rule: {
        subjects: everythingOf(...everybody).subjects,
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
      rule: { subjects: [...managers, systemAccounts], resourceRules: [leases(['get', 'create', 'update'])] },
    },
  ],
  [
    'system-node-high',
    {
      level: 'node-high',
      precedence: 400,
      by: 'ByUser',
      rule: {
        subjects: everythingOf('system:nodes').subjects,
        resourceRules: [
          { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
          leases(['*']),
        ],
      },
    },
  ],
  ['system-nodes', { level: 'system', precedence: 500, by: 'ByUser', rule: everythingOf('system:nodes') }],
  ['kube-controller-manager', { level: 'workload-high', precedence: 800, by: 'ByNamespace', rule: everything([managers[0]!]) }],
  ['kube-scheduler', { level: 'workload-high', precedence: 800, by: 'ByNamespace', rule: everything([managers[1]!]) }],
  ['kube-system-service-accounts', { level: 'workload-high', precedence: 900, by: 'ByNamespace', rule: everything([systemAccounts]) }],
  ['service-accounts', { level: 'workload-low', precedence: 9000, by: 'ByUser', rule: everythingOf('system:serviceaccounts') }],
  ['global-default', { level: 'global-default', precedence: 9900, by: 'ByUser', rule: everythingOf(...everybody) }],
]

function schemaSpec({ level, precedence, by, rule }: Distinguished): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules: [rule],
  }
}

/** Says that the server may bring the spec up to date; whoever wants it otherwise sets it to "false". */
export const autoUpdateAnnotation = 'apf.kubernetes.io/autoupdate-spec'

function named<Spec>([name, spec]: readonly [string, Spec]): { metadata: FlowSchema['metadata']; spec: Spec } {
  return { metadata: { name, annotations: { [autoUpdateAnnotation]: 'true' } }, spec }
}

/** What every cluster has at the start: levels first, then what leads to them. */
export const bootstrapPriorityLevels: readonly DeepReadonly<PriorityLevelConfiguration>[] = [
  ...[...mandatoryPriorityLevels].map(named),
  ...suggestedLevels.map(named),
]
export const bootstrapFlowSchemas: readonly DeepReadonly<FlowSchema>[] = [
  ...[...mandatoryFlowSchemas].map(named),
  ...suggestedSchemas.map(([name, distinguished]) => named([name, schemaSpec(distinguished)])),
]
