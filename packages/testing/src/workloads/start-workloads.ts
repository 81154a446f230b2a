import type { ResourceTypes } from '@keelson/admission'
import { isApiError } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import { startDeployments } from './deployments.ts'
import { startReplicaSets } from './replica-sets.ts'
import { startPodRunner } from './run-pods.ts'
import type { PodRule } from './run-pods.ts'
import { createWorkloadInformers } from './workload-controller.ts'
import type { WorkloadContext } from './workload-controller.ts'

/** Workloads that seem to run. */
export interface WorkloadsOptions {
  /** Number of pretended nodes. Default: 1. */
  readonly nodes?: number
  /**
   * Decides the state of each pod. Default: pods of jobs succeed, and all others run.
   *
   * @example
   * (pod) => (pod.metadata.labels?.['app'] === 'broken' ? { phase: 'Running', ready: false } : { phase: 'Running' })
   */
  readonly rule?: PodRule
}

type Node = ResourceTypes['nodes']

/**
 * Creates the nodes, and starts the controllers: pods are bound to nodes and get the state of the rule, replica sets create pods, and deployments create
 * replica sets.
 */
export async function startWorkloads(
  context: Omit<WorkloadContext, 'informers'>,
  { nodes = 1, rule }: WorkloadsOptions,
): Promise<AsyncDisposable> {
  const { client, clock, onError } = context
  const names = Array.from({ length: nodes }, (_, i) => `node-${i + 1}`)
  for (const name of names) await createNode(client, clock, name)
  const informers = createWorkloadInformers(client, clock, onError)
  const controllers: AsyncDisposable[] = []
  const workloads = {
    async [Symbol.asyncDispose]() {
      await Promise.all(controllers.map((controller) => controller[Symbol.asyncDispose]()))
      await informers[Symbol.asyncDispose]()
    },
  }
  try {
    controllers.push(startPodRunner({ ...context, informers }, names, rule))
    controllers.push(startReplicaSets({ ...context, informers }))
    controllers.push(startDeployments({ ...context, informers }))
  } catch (error) {
    await workloads[Symbol.asyncDispose]()
    throw error
  }
  return workloads
}

async function createNode(client: LoopbackClient, clock: Clock, name: string): Promise<void> {
  const resource = client.resource<Node>({ group: '', resource: 'nodes' })
  if (resource === undefined) throw new Error('workloads need nodes, which the server does not serve')
  const now = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const capacity = { cpu: '8', memory: '32Gi', pods: '110' }
  try {
    await resource.create('', {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
      spec: {},
    })
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return
    throw error
  }
  // Admission taints new nodes until they are ready.
  await resource.update('', name, ({ spec, ...node }) => ({ ...node, spec: { ...spec, taints: [] } }))
  await resource.update(
    '',
    name,
    (node) => ({
      ...node,
      status: {
        ...node.status,
        capacity,
        allocatable: capacity,
        conditions: [
          { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '', lastTransitionTime: now, lastHeartbeatTime: now },
        ],
        addresses: [{ type: 'Hostname', address: name }],
      },
    }),
    { subresource: 'status' },
  )
}
