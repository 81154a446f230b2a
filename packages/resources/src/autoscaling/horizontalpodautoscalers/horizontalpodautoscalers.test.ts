import { autoscalingV2 } from '@keelson/api/autoscaling/v2'
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '@keelson/api/autoscaling/v2'
import type { RequestContext } from '@keelson/apimachinery'
import { decodeStruct, formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { setAutoscalerDefaults } from './defaults.ts'
import { horizontalPodAutoscalers } from './index.ts'

const context = {} as RequestContext
const { strategy } = horizontalPodAutoscalers

function createAutoscaler(members: Partial<HorizontalPodAutoscalerSpec> = {}): HorizontalPodAutoscaler {
  const created: HorizontalPodAutoscaler = {
    metadata: { name: 'h' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3, ...structuredClone(members) },
  }
  setAutoscalerDefaults(created)
  return created
}

const validateToMessages = (created: HorizontalPodAutoscaler): string[] =>
  (strategy.validateCreate?.(context, created) ?? []).map(formatFieldError)

describe('horizontal pod autoscalers', () => {
  it('sets default scaling rules only if there is a behavior', () => {
    expect(createAutoscaler().spec?.behavior).toBeUndefined()
    expect(createAutoscaler({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } }).spec?.behavior).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    })
  })

  it('rejects an empty list of policies', () => {
    const { schema } = autoscalingV2.kinds.find(({ gvk }) => gvk.kind === 'HorizontalPodAutoscaler')!
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 }
    const sent = { metadata: { name: 'h' }, spec: { ...spec, behavior: { scaleDown: { policies: [] } } } }
    const created = decodeStruct<HorizontalPodAutoscaler>(schema, sent).object
    setAutoscalerDefaults(created)
    expect(validateToMessages(created)).toEqual(['spec.behavior.scaleDown.policies: Required value: must specify at least one Policy'])
  })

  it.each<[Partial<HorizontalPodAutoscalerSpec>, readonly string[]]>([
    [
      { minReplicas: 0, maxReplicas: 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'a/b/c' } },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [{ scaleTargetRef: { kind: 'ReplicationController', name: 'd', apiVersion: 'v1' } }, []],
    [
      { metrics: [{ type: '' }] },
      [
        'spec.metrics[0].type: Required value: must specify a metric source type',
        'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    ],
    [
      {
        metrics: [
          {
            type: 'External',
            external: { metric: { name: 'a/b' }, target: { type: 'Value', value: '0', averageValue: '1' } },
            resource: { name: 'cpu', target: { type: 'Utilization' } },
          },
        ],
      },
      [
        'spec.metrics[0].external.metric.name: Invalid value: "a/b": may not contain \'/\'',
        'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
        'spec.metrics[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target',
        'spec.metrics[0].resource: Forbidden: must populate the given metric source only',
      ],
    ],
    [
      { behavior: { scaleUp: { stabilizationWindowSeconds: 3601, policies: [{ type: 'Some', value: 0, periodSeconds: 1801 }] } } },
      [
        'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Some": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ])('reports the errors of the spec %j', (members, expected) => expect(validateToMessages(createAutoscaler(members))).toEqual(expected))

  it('accepts a stored target without a group', () => {
    const old = createAutoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'd' } })
    expect(validateToMessages(old)).toEqual(['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'])
    expect(strategy.validateUpdate?.(context, createAutoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'e' } }), old)).toEqual([])
  })

  it('prints current and target metrics as a column', () => {
    const created = createAutoscaler({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        { type: 'Pods', pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } } },
        { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '5' } } },
      ],
    })
    created.status = {
      desiredReplicas: 2,
      currentReplicas: 2,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 20 } } }],
    }
    expect(createTableConvertor(horizontalPodAutoscalers).createCells(created, 0)).toEqual([
      'h',
      'Deployment/d',
      'cpu: 20%/80%, <unknown>/5 + 1 more...',
      '1',
      3,
      2,
      '<unknown>',
    ])
  })
})
