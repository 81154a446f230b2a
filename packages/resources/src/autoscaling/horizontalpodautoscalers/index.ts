import type { HorizontalPodAutoscaler } from '@keelson/api/autoscaling/v2'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { keepMember } from '@keelson/resources-core'
import { setAutoscalerDefaults, setDefaultsV1 } from './defaults.ts'
import { formatMetrics } from './format-metrics.ts'
import { dropConversionAnnotations } from './v1/annotations.ts'
import { fromHub, toHub } from './v1/convert.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './validate.ts'

export const horizontalPodAutoscalers: ResourceDefinition<HorizontalPodAutoscaler> = defineResource<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  scope: 'Namespaced',
  shortNames: ['hpa'],
  categories: ['all'],
  setDefaults: setAutoscalerDefaults,
  normalize: dropConversionAnnotations,
  alsoServedAs: [{ group: 'autoscaling', version: 'v1', setDefaults: setDefaultsV1, toHub, fromHub }],
  strategy: {
    resetFields: withoutFields('status'),
    repeatedMetadataChecks: 'update',
    prepareForCreate(_context, autoscaler) {
      autoscaler.status = { desiredReplicas: 0, currentMetrics: null }
    },
    validateCreate: (_context, autoscaler) => validateAutoscaler(autoscaler),
    prepareForUpdate: (_context, autoscaler, old) => keepMember(autoscaler, old, 'status'),
    validateUpdate: (_context, autoscaler, old) => validateAutoscaler(autoscaler, old),
  },
  columns: [
    {
      name: 'Reference',
      description: 'Object being scaled.',
      value: ({ spec }) => `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`,
    },
    {
      name: 'Targets',
      description: 'Current and target value of each metric.',
      value: ({ spec, status }) => formatMetrics(spec?.metrics ?? [], status?.currentMetrics ?? []),
    },
    { name: 'MinPods', description: 'Lower limit of replicas.', value: ({ spec }) => String(spec?.minReplicas ?? '<unset>') },
    { name: 'MaxPods', description: 'Upper limit of replicas.', value: ({ spec }) => spec?.maxReplicas ?? 0 },
    { name: 'Replicas', description: 'Current number of replicas.', value: ({ status }) => status?.currentReplicas ?? 0 },
  ],
  subresources: {
    status: {
      update: {
        resetFields: withoutFields('spec'),
        prepareForUpdate: (_context, autoscaler, old) => keepMember(autoscaler, old, 'spec'),
        validateUpdate: (_context, autoscaler) => validateAutoscalerStatus(autoscaler),
      },
    },
  },
})
