import { nodeV1 } from '@keelson/api/node/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { runtimeClasses } from './runtimeclasses/index.ts'

export const node: ApiGroup = defineApiGroup({
  name: 'node.k8s.io',
  priority: 16300,
  types: [nodeV1],
  retiredVersions: ['v1beta1', 'v1alpha1'],
  resources: [runtimeClasses],
})
