import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { Kubectl } from './kubectl.ts'

const binary = findKubectl()

/** What the deployment controller would make of a deployment: nobody does here, so the test does. */
function replicaSet(uid: string, revision: number, image: string): string {
  const labels = { app: 'web', 'pod-template-hash': `h${revision}` }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${revision}`,
      labels,
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }],
    },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image }] } } },
  })
}

describe.skipIf(binary === undefined)('kubectl, for workloads', { timeout: 90_000 }, () => {
  let server: KeelsonProcess
  let kubectl: Kubectl
  let scratch: string

  beforeAll(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-workloads-'))
    server = await startKeelsonProcess()
    kubectl = new Kubectl(binary ?? '', server, scratch)
  })
  afterAll(async () => {
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  })

  const field = (what: string, expression: string): Promise<string> => kubectl.run(['get', what, '-o', `jsonpath=${expression}`])

  test('a deployment: create, set image, scale, autoscale, describe', async () => {
    expect(await kubectl.run(['create', 'deployment', 'web', '--image=nginx:1', '--replicas=2'])).toBe('deployment.apps/web created\n')
    expect(await kubectl.run(['get', 'deploy', 'web'])).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +0 +0 +\d+s\n$/)
    expect(await kubectl.run(['set', 'image', 'deployment/web', 'nginx=nginx:2'])).toContain('image updated')
    expect(await kubectl.run(['scale', 'deployment', 'web', '--replicas=3'])).toBe('deployment.apps/web scaled\n')
    expect(await field('deploy/web', '{.metadata.generation}/{.spec.replicas}')).toBe('3/3')
    expect(await kubectl.run(['autoscale', 'deployment', 'web', '--min=1', '--max=5'])).toContain('web autoscaled')
    expect(await kubectl.run(['get', 'hpa', 'web'])).toMatch(/web +Deployment\/web +cpu: <unknown>\/80% +1 +5 +0 /)
    expect(await kubectl.run(['describe', 'deployment', 'web'])).toContain('Replicas:               3 desired')
    expect(await kubectl.run(['describe', 'hpa', 'web'])).toMatch(/Max replicas: +5/)
  })

  test('rollouts: history, undo, restart, status', async () => {
    const uid = await field('deploy/web', '{.metadata.uid}')
    for (const revision of [1, 2]) {
      await kubectl.run(['create', '-f', '-'], { input: replicaSet(uid, revision, `nginx:${revision}`) })
    }
    await kubectl.run(['annotate', 'deployment', 'web', 'deployment.kubernetes.io/revision=2'])
    expect(await kubectl.run(['rollout', 'history', 'deployment/web'])).toMatch(/^1 +<none>\n2 +<none>$/m)
    expect(await kubectl.run(['rollout', 'undo', 'deployment/web'])).toBe('deployment.apps/web rolled back\n')
    expect(await field('deploy/web', '{.spec.template.spec.containers[0].image}')).toBe('nginx:1')
    expect(await kubectl.run(['rollout', 'restart', 'deployment/web'])).toBe('deployment.apps/web restarted\n')
    const status = { observedGeneration: 99, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 }
    await kubectl.run(['patch', 'deployment', 'web', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })])
    expect(await kubectl.run(['rollout', 'status', 'deployment/web'])).toBe('deployment "web" successfully rolled out\n')
  })

  test('jobs and cron jobs', async () => {
    expect(await kubectl.run(['create', 'job', 'once', '--image=busybox'])).toBe('job.batch/once created\n')
    expect(await kubectl.run(['create', 'cronjob', 'often', '--image=busybox', '--schedule=*/5 * * * *'])).toBe(
      'cronjob.batch/often created\n',
    )
    expect(await kubectl.run(['create', 'job', 'now', '--from=cronjob/often'])).toBe('job.batch/now created\n')
    expect(await kubectl.run(['get', 'cronjobs'])).toMatch(/^often +\*\/5 \* \* \* \* +<none> +False +0 +<none> /m)
    expect(await kubectl.run(['describe', 'job', 'once'])).toMatch(/Completions: +1/)
    const wrong = await kubectl.try(['create', 'cronjob', 'never', '--image=busybox', '--schedule=never'])
    expect(wrong.stderr).toContain('spec.schedule: Invalid value: "never": expected exactly 5 fields, found 1: [never]')
  })

  test('all of them at once, and what goes with what owns it', async () => {
    const all = await kubectl.run(['get', 'all'])
    for (const name of [
      'deployment.apps/web',
      'replicaset.apps/web-1',
      'horizontalpodautoscaler.autoscaling/web',
      'cronjob.batch/often',
      'job.batch/once',
    ]) {
      expect(all).toContain(name)
    }
    await kubectl.run(['delete', 'deployment', 'web', '--cascade=foreground'])
    expect((await kubectl.try(['get', 'replicaset', 'web-1'])).stderr).toContain('(NotFound)')
  })
})
