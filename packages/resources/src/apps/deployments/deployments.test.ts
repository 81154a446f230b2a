import { createApiTypes } from '@keelson/api'
import { appsV1 } from '@keelson/api/apps/v1'
import type { Deployment } from '@keelson/api/apps/v1'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import type { Scale } from '@keelson/api/autoscaling/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import type { Getter, Updater } from '@keelson/registry'
import { openTestStore, getPlainObject, put, testContext } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { deployments } from './index.ts'

const context = {} as RequestContext
const { strategy } = deployments

function createDeployment(change: (created: Deployment) => void = () => {}): Deployment {
  const created: Deployment = {
    metadata: { name: 'd', generation: 1 },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
    },
  }
  change(created)
  deployments.setDefaults?.(created)
  return created
}

describe('deployments', () => {
  it('sets rolling updates of 25 percent by default', () => {
    expect(createDeployment().spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    })
    expect(createDeployment(({ spec }) => void (spec!.strategy = { type: 'Recreate' })).spec?.strategy).toEqual({ type: 'Recreate' })
  })

  it.each([
    ['the spec', (created: Deployment) => void (created.spec!.replicas = 2), 2],
    ['annotations, which replica sets have too', (created: Deployment) => void (created.metadata.annotations = { a: 'b' }), 2],
    ['labels', (created: Deployment) => void (created.metadata.labels = { a: 'b' }), 1],
    ['the status, which is not changed here', (created: Deployment) => void (created.status = { replicas: 9 }), 1],
  ])('sets the generation after a change of %s', (_what, change, generation) => {
    const changed = createDeployment(change)
    strategy.prepareForUpdate?.(context, changed, createDeployment())
    expect(changed.metadata.generation).toBe(generation)
    expect(changed.status).toBeUndefined()
  })

  it('rejects changes of the selector', () => {
    const changed = createDeployment(({ spec }) => void (spec!.selector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] }))
    expect(strategy.validateUpdate?.(context, changed, createDeployment()).map(formatFieldError)).toEqual([
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ])
  })

  it('prints the strategy like kube-apiserver', () => {
    const wrong = createDeployment(({ spec }) => void (spec!.strategy = { type: 'Other' }))
    expect(strategy.validateCreate?.(context, wrong).map(formatFieldError)).toEqual([
      'spec.strategy: Unsupported value: {"Type":"Other","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ])
  })

  it('requires an integer as rollback revision', () => {
    const requestRollback = (wish: string): Deployment =>
      createDeployment(({ metadata }) => void (metadata.annotations = { 'deprecated.deployment.rollback.to': wish }))
    expect(requestRollback('+5').metadata.annotations).toEqual({ 'deprecated.deployment.rollback.to': '5' })
    expect(requestRollback('').metadata.annotations).toEqual({})
    expect(() => requestRollback('x')).toThrow(
      'Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: parsing "x": invalid syntax',
    )
  })

  it('ignores labels in status updates, and rejects a lower collision count', () => {
    const update = deployments.subresources?.['status']?.update
    const old: Deployment = { ...createDeployment(({ metadata }) => void (metadata.labels = { a: 'b' })), status: { collisionCount: 2 } }
    const written: Deployment = { ...createDeployment(), status: { replicas: 1, readyReplicas: 2, collisionCount: 1 } }
    update?.prepareForUpdate?.(context, written, old)
    expect(written.metadata.labels).toEqual({ a: 'b' })
    expect(update?.validateUpdate?.(context, written, old).map(formatFieldError)).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.collisionCount: Invalid value: 1: cannot be decremented',
    ])
  })

  it('scales a deployment without a full decode', async () => {
    await using test = openTestStore(deployments, { types: createApiTypes([appsV1, autoscalingV1]) })
    const inNamespace = testContext('ns')
    await test.store.create(inNamespace, createDeployment(), { dryRun: false })
    const storage = test.paths.get('deployments/scale') as unknown as Getter & Updater
    const scale = getPlainObject(await storage.get(inNamespace, 'd', {})) as Scale
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 0, selector: 'app=a' } })
    await storage.update(inNamespace, 'd', { change: put(Object.assign(scale, { spec: { replicas: 3 } })), dryRun: false })
    expect(getPlainObject(await test.store.get(inNamespace, 'd', {}))).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } })
  })

  it('prints the progress of a rollout as columns', () => {
    const created: Deployment = { ...createDeployment(), status: { readyReplicas: 1, updatedReplicas: 1 } }
    expect(createTableConvertor(deployments).createCells(created, 0)).toEqual(['d', '1/1', 1, 0, '<unknown>', 'c', 'i:1', 'app=a'])
  })
})
