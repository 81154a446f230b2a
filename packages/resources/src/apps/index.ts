import { appsV1 } from '@keelson/api/apps/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { controllerRevisions } from './controllerrevisions/index.ts'
import { daemonSets } from './daemonsets/index.ts'
import { deployments } from './deployments/index.ts'
import { replicaSets } from './replicasets/index.ts'
import { statefulSets } from './statefulsets/index.ts'

export const apps: ApiGroup = defineApiGroup({
  name: 'apps',
  priority: 17800,
  types: [appsV1],
  retiredVersions: ['v1beta1', 'v1beta2'],
  resources: [controllerRevisions, daemonSets, deployments, replicaSets, statefulSets],
})
