import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { autoscalingV2 } from '@keelson/api/autoscaling/v2'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { horizontalPodAutoscalers } from './horizontalpodautoscalers/index.ts'

/** The group autoscaling, with HorizontalPodAutoscaler in v2 and v1. */
export const autoscaling: ApiGroup = defineApiGroup({
  name: 'autoscaling',
  priority: 17500,
  types: [autoscalingV2, autoscalingV1],
  resources: [horizontalPodAutoscalers],
})
