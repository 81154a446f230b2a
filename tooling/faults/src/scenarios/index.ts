import { auditLoss, auditMemory } from './audit-faults.ts'
import { boundsLarge, boundsUpdates } from './bounds.ts'
import { clockSteps } from './clock-steps.ts'
import { damageEmbedded } from './damage-embedded.ts'
import { diskFaults } from './disk-faults.ts'
import { etcdFaults } from './etcd-faults.ts'
import { flood } from './flood.ts'
import { hostileBackends } from './hostile-backends.ts'
import { hostileDefinitions } from './hostile-definitions.ts'
import { hostileHttp } from './hostile-http.ts'
import { hostileValues } from './hostile-values.ts'
import { hostileWebhooks } from './hostile-webhooks.ts'
import { killEmbedded } from './kill-embedded.ts'
import { manyDefinitions } from './many-definitions.ts'
import type { Scenario } from './scenario.ts'
import { slowWatcher } from './slow-watcher.ts'
import { stopUnderLoad } from './stop-under-load.ts'

export const scenarios: readonly Scenario[] = [
  killEmbedded,
  diskFaults,
  clockSteps,
  slowWatcher,
  damageEmbedded,
  boundsLarge,
  boundsUpdates,
  hostileHttp,
  hostileValues,
  hostileDefinitions,
  hostileWebhooks,
  hostileBackends,
  manyDefinitions,
  stopUnderLoad,
  flood,
  auditLoss,
  auditMemory,
  ...etcdFaults,
]
