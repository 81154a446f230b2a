import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '@keelson/api/autoscaling/v2'
import type { KubeObject } from '@keelson/apimachinery'
import { Scheme } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { autoscaling } from '../../index.ts'

const scheme = new Scheme()
autoscaling.register(scheme)
const v1 = { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' }
const v2 = { ...v1, version: 'v2' }
const formatAnnotationName = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`

const metric = { name: 'hits', selector: { matchLabels: { a: 'b' } } }
const describedObject = { kind: 'Service', name: 's', apiVersion: 'v1' }
const metrics: MetricSpec[] = [
  { type: 'Pods', pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '5' } } },
  { type: 'Object', object: { describedObject, target: { type: 'Value', value: '10' }, metric } },
  { type: 'Object', object: { describedObject, target: { type: 'AverageValue', averageValue: '2' }, metric } },
  { type: 'External', external: { metric, target: { type: 'Value', value: '30' } } },
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 }, container: 'c' },
  },
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
]
const currentMetrics: MetricStatus[] = [
  { type: 'Pods', pods: { metric: { name: 'p' }, current: { averageValue: '4' } } },
  { type: 'Object', object: { metric, current: { value: '9', averageValue: '1' }, describedObject } },
  { type: 'External', external: { metric, current: { value: '20' } } },
  { type: 'ContainerResource', containerResource: { name: 'cpu', current: { averageValue: '1', averageUtilization: 10 }, container: 'c' } },
  { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '100m', averageUtilization: 20 } } },
]

function createFullAutoscaler(): HorizontalPodAutoscaler {
  const rules = {
    stabilizationWindowSeconds: 5,
    selectPolicy: 'Min',
    policies: [{ type: 'Pods', value: 1, periodSeconds: 2 }],
    tolerance: '50m',
  }
  return {
    metadata: { name: 'h', annotations: { mine: 'kept' } },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: structuredClone(metrics),
      behavior: { scaleUp: rules, scaleDown: { policies: [] } },
    },
    status: {
      observedGeneration: 1,
      lastScaleTime: '2026-01-01T00:00:00Z',
      currentReplicas: 3,
      desiredReplicas: 4,
      currentMetrics: structuredClone(currentMetrics),
      conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'r', message: 'm' }],
    },
  }
}

const toHub = (object: object): HorizontalPodAutoscaler => {
  scheme.setDefaults(v1, object as KubeObject)
  return scheme.toHub(v1, object as KubeObject)
}
const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 }

describe('autoscaling/v1', () => {
  it('converts to v2 and back without loss', () => {
    const before = createFullAutoscaler()
    const old = scheme.fromHub(v1, before)
    expect(before).toEqual(createFullAutoscaler())
    expect(old).toMatchObject({
      spec: { minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 70 },
      status: { currentReplicas: 3, desiredReplicas: 4, currentCPUUtilizationPercentage: 20 },
    })
    expect(toHub(structuredClone(old))).toEqual(createFullAutoscaler())
  })

  it('stores the fields of v2 in annotations like kube-apiserver', () => {
    const { annotations = {} } = scheme.fromHub(v1, createFullAutoscaler()).metadata
    expect(annotations[formatAnnotationName('metrics')]).toMatch(
      /^\[\{"type":"Pods","pods":\{"metricName":"p","targetAverageValue":"5"\}\},\{"type":"Object",/,
    )
    expect(annotations[formatAnnotationName('behavior')]).toBe(
      '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":2}],"Tolerance":"50m"},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":null,"Policies":[],"Tolerance":null}}',
    )
    expect(annotations[formatAnnotationName('conditions')]).toBe(
      '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"r","message":"m"}]',
    )
  })

  it('sets the CPU metric by default', () => {
    expect(toHub({ metadata: { name: 'h' }, spec: { ...spec } }).spec).toEqual({
      ...spec,
      minReplicas: 1,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    })
  })

  it('ignores invalid annotations', () => {
    const annotations = {
      [formatAnnotationName('metrics')]: '{',
      [formatAnnotationName('behavior')]: '[]',
      [formatAnnotationName('conditions')]: '"a"',
    }
    const {
      metadata,
      spec: read,
      status,
    } = toHub({ metadata: { name: 'h', annotations }, spec: { ...spec, targetCPUUtilizationPercentage: 5 } })
    expect(metadata).toEqual({ name: 'h' })
    expect(read?.metrics).toHaveLength(1)
    expect(read?.behavior).toBeUndefined()
    expect(status).toEqual({ desiredReplicas: 0, currentMetrics: null })
  })

  it('drops conversion annotations of v2 objects', () => {
    const object = { metadata: { name: 'h', annotations: { [formatAnnotationName('metrics')]: '[]', mine: 'kept' } } }
    expect(scheme.toHub(v2, object).metadata.annotations).toEqual({ mine: 'kept' })
  })
})
