import type { Node, PersistentVolumeClaim, Pod, PodSpec } from '@keelson/api/core/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { testContext } from '@keelson/registry/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdmissionAttributes } from '../admission.ts'
import { admitObject, openTestCluster, update, write } from '../plugin.fixture.ts'
import type { Plural, TestCluster } from '../plugin.fixture.ts'
import { createNodeRestrictionPlugin } from './index.ts'

let cluster: TestCluster
beforeEach(async () => {
  cluster = openTestCluster()
  await cluster.create('nodes', { metadata: { name: 'n' } })
})
afterEach(() => cluster[Symbol.asyncDispose]())

const createContext = (namespace: string, name = 'system:node:n', groups = ['system:nodes']) => ({
  ...testContext(namespace),
  user: { name, groups },
})
const asNode = { context: createContext('ns') }
const admit = (attributes: AdmissionAttributes) => admitObject(createNodeRestrictionPlugin(cluster), attributes)
const create = (plural: Plural, object: KubeObject, overrides: Partial<AdmissionAttributes> = {}) =>
  admit(write(plural, object, { ...asNode, ...overrides }))
const change = (plural: Plural, old: KubeObject, object: KubeObject, overrides: Partial<AdmissionAttributes> = {}) =>
  admit(update(plural, old, object, { ...asNode, ...overrides }))
const remove = (plural: Plural, oldObject: KubeObject, overrides: Partial<AdmissionAttributes> = {}) =>
  admit(write(plural, undefined, { operation: 'DELETE', oldObject, name: oldObject.metadata.name ?? '', ...asNode, ...overrides }))
const matchRefusal = (message: string) => ({ code: 403, message: expect.stringMatching(new RegExp(`is forbidden: ${escape(message)}$`)) })
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

const readNodeUid = async (): Promise<string> => (await cluster.resource<Node>('nodes').get('', 'n'))!.metadata.uid!
const createPodOn = (nodeName: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { nodeName, containers: [], ...spec },
})
async function mirrorPod(spec: Partial<PodSpec> = {}, owner: object = {}): Promise<Pod> {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: await readNodeUid(), controller: true, ...owner }]
  return {
    metadata: { name: 'p', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences },
    spec: { nodeName: 'n', containers: [], ...spec },
  }
}

it('limits nodes only', async () => {
  for (const user of [createContext('ns', 'alice'), createContext('ns', 'system:node:n', [])])
    await create('pods', createPodOn('other'), { context: user })
  await expect(create('configmaps', { metadata: { name: 'c' } }, { context: createContext('ns', 'system:node:') })).rejects.toMatchObject(
    matchRefusal('could not determine node from user "system:node:"'),
  )
  await create('configmaps', { metadata: { name: 'c' } })
})

describe('pods', () => {
  it("may be mirror pods of the kubelet's node", async () => {
    await create('pods', await mirrorPod({ volumes: [{ name: 'h', hostPath: { path: '/' } }] }))
  })

  it.each<[Partial<PodSpec>, object, string]>([
    [{ nodeName: 'other' }, {}, 'node "n" can only create pods with spec.nodeName set to itself'],
    [{}, { name: 'other' }, 'node "n" can only create pods with an owner reference set to itself'],
    [{}, { controller: false }, 'node "n" can only create pods with a controller owner reference set to itself'],
    [{}, { blockOwnerDeletion: true }, 'node "n" must not set blockOwnerDeletion on an owner reference'],
    [{ serviceAccountName: 'a' }, {}, 'node "n" can not create pods that reference serviceaccounts'],
    [{ imagePullSecrets: [{ name: 's' }] }, {}, 'node "n" can not create pods that reference secrets'],
    [{ volumes: [{ name: 'v', configMap: { name: 'c' } }] }, {}, 'node "n" can not create pods that reference configmaps'],
    [{ volumes: [{ name: 'v', configMap: {} }] }, {}, 'node "n" can not create pods that reference configmaps (via configmap volumes)'],
    [{ volumes: [{ name: 'v', csi: { driver: 'd' } }] }, {}, 'node "n" can not create pods that reference csidrivers (via CSI volumes)'],
    [
      { volumes: [{ name: 'v', projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: { path: 't' } }] } }] },
      {},
      'node "n" can not create pods that reference serviceaccounts (via projected volumes)',
    ],
    [{ resourceClaims: [{ name: 'r' }] }, {}, 'node "n" can not create pods that reference resourceclaims'],
    [{ volumes: [{ name: 'v' }] }, {}, 'error checking mirror pod for API references: unknown volume type for volume  "v"'],
  ])('may not be %j owned by %j', async (spec, owner, message) => {
    await expect(mirrorPod(spec, owner).then((pod) => create('pods', pod))).rejects.toMatchObject(matchRefusal(message))
  })

  it('need the node that they name', async () => {
    await expect(create('pods', createPodOn('n'))).rejects.toMatchObject(
      matchRefusal('pod does not have "kubernetes.io/config.mirror" annotation, node "n" can only create mirror pods'),
    )
    await expect(mirrorPod({}, { uid: 'old' }).then((pod) => create('pods', pod))).rejects.toThrow(
      `node n UID mismatch: expected old got ${await readNodeUid()}`,
    )
    const pod = await mirrorPod()
    await cluster.resource('nodes').delete('', 'n')
    await expect
      .poll(() => create('pods', pod).catch((error: unknown) => error))
      .toMatchObject({ code: 404, message: 'node "n" not found' })
  })

  it("may be changed and removed only on the kubelet's node", async () => {
    const addLabels = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } })
    await remove('pods', createPodOn('n'))
    await expect(remove('pods', createPodOn('other'))).rejects.toMatchObject(
      matchRefusal('node "n" can only delete pods with spec.nodeName set to itself'),
    )
    const status = { subresource: 'status' }
    await change('pods', createPodOn('n'), { ...createPodOn('n'), status: { phase: 'Running' } } as Pod, status)
    await expect(change('pods', createPodOn('other'), createPodOn('other'), status)).rejects.toMatchObject(
      matchRefusal('node "n" can only update pod status for pods with spec.nodeName set to itself'),
    )
    await expect(change('pods', createPodOn('n'), addLabels(createPodOn('n')), status)).rejects.toMatchObject(
      matchRefusal('node "n" cannot update labels through pod status'),
    )
    const claimed = { ...createPodOn('n'), status: { resourceClaimStatuses: [{ name: 'r' }] } } as Pod
    await expect(change('pods', createPodOn('n'), claimed, status)).rejects.toMatchObject(
      matchRefusal('node "n" cannot update resource claim statues'),
    )
    const extended = {
      ...createPodOn('n'),
      status: { extendedResourceClaimStatus: { resourceClaimName: 'c', requestMappings: [] } },
    } as Pod
    await expect(change('pods', createPodOn('n'), extended, status)).rejects.toMatchObject(
      matchRefusal('node "n" cannot update extended resource claim status'),
    )
    await expect(change('pods', createPodOn('n'), createPodOn('n'))).rejects.toMatchObject(
      matchRefusal('unexpected operation "UPDATE", node "n" can only create and delete mirror pods'),
    )
    await expect(create('pods', createPodOn('n'), { subresource: 'binding' })).rejects.toMatchObject(
      matchRefusal(`unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`),
    )
  })

  it("may be evicted only from the kubelet's node", async () => {
    await cluster.create('pods', createPodOn('n'))
    await cluster.create('pods', { ...createPodOn('other'), metadata: { name: 'q' } })
    const evict = (name: string) => create('pods', { metadata: { name } }, { subresource: 'eviction', name })
    await evict('p')
    await expect(evict('q')).rejects.toMatchObject(matchRefusal('node n can only evict pods with spec.nodeName set to itself'))
    await expect(evict('gone')).rejects.toMatchObject({ code: 404, message: 'pod "gone" not found' })
  })
})

describe('the Node of the kubelet', () => {
  const createNode = (labels: Record<string, string> = {}, overrides: Partial<Node> = {}): Node => ({
    metadata: { name: 'n', labels },
    ...overrides,
  })

  it.each<[Record<string, string>]>([
    [{ 'kubernetes.io/hostname': 'n', 'example.com/a': 'b', plain: '1' }],
    [{ 'foo.node.kubernetes.io/a': 'b', 'kubelet.kubernetes.io/c': 'd', 'topology.kubernetes.io/zone': 'z' }],
  ])('may have the labels %j', async (labels) => {
    await create('nodes', createNode(labels))
    await change('nodes', createNode(), createNode(labels))
  })

  it('may not set labels that steer workloads to the node', async () => {
    const labels = { 'x.k8s.io/a': '', 'node-restriction.kubernetes.io/b': '', 'kubernetes.io/c': '', 'node.kubernetes.io/d': '' }
    const forbidden = 'kubernetes.io/c, node-restriction.kubernetes.io/b, x.k8s.io/a'
    await expect(create('nodes', createNode(labels))).rejects.toMatchObject(
      matchRefusal(`node "n" is not allowed to set the following labels: ${forbidden}`),
    )
    await expect(change('nodes', createNode(labels), createNode())).rejects.toMatchObject(
      matchRefusal(`is not allowed to modify labels: ${forbidden}`),
    )
    await change('nodes', createNode(labels), createNode(labels))
  })

  it('may not change its taints, owners or configuration', async () => {
    const owned = { ...createNode(), metadata: { name: 'n', ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }] } }
    const configured = createNode({}, { spec: { configSource: {} } })
    await expect(
      change('nodes', createNode(), createNode({}, { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })),
    ).rejects.toMatchObject(matchRefusal('node "n" is not allowed to modify taints'))
    await expect(change('nodes', createNode(), owned)).rejects.toMatchObject(
      matchRefusal('node "n" is not allowed to modify ownerReferences'),
    )
    await expect(change('nodes', createNode(), configured)).rejects.toMatchObject(
      matchRefusal('node "n" is not allowed to update configSource to a new non-nil configSource'),
    )
    await expect(create('nodes', configured)).rejects.toMatchObject(
      matchRefusal('node "n" is not allowed to create pods with a non-nil configSource'),
    )
  })

  it('is the only Node that the kubelet may change', async () => {
    await expect(create('nodes', { metadata: { name: 'other' } })).rejects.toMatchObject(
      matchRefusal('node "n" is not allowed to modify node "other"'),
    )
  })
})

it('the status of claims may change only in fields about resizing', async () => {
  const claim = (status: PersistentVolumeClaim['status'], labels = {}): PersistentVolumeClaim => ({
    metadata: { name: 'd', labels, resourceVersion: String(Math.random()) },
    spec: {},
    ...(status && { status }),
  })
  const status = { subresource: 'status' }
  await change(
    'persistentvolumeclaims',
    claim({ phase: 'Bound' }),
    claim({ phase: 'Bound', capacity: { storage: '2Gi' }, conditions: [] }),
    status,
  )
  const refused = 'node "n" is not allowed to update fields other than status.quantity and status.conditions'
  await expect(change('persistentvolumeclaims', claim({}), claim({ phase: 'Bound' }), status)).rejects.toThrow(refused)
  await expect(change('persistentvolumeclaims', claim({}), claim({}, { a: 'b' }), status)).rejects.toThrow(refused)
  await expect(change('persistentvolumeclaims', claim({}), claim({}))).rejects.toMatchObject(matchRefusal('may only update PVC status'))
})

it('leases, CSI nodes and resource slices are those of the node', async () => {
  const createLease = (name: string, namespace = 'kube-node-lease') => create('leases', { metadata: { name } }, { namespace })
  await createLease('n')
  await expect(createLease('m')).rejects.toMatchObject(matchRefusal('can only access node lease with the same name as the requesting node'))
  await expect(createLease('n', 'ns')).rejects.toMatchObject(
    matchRefusal('can only access leases in the "kube-node-lease" system namespace'),
  )
  await create('csinodes', { metadata: { name: 'n' } })
  await expect(remove('csinodes', { metadata: { name: 'm' } })).rejects.toMatchObject(
    matchRefusal('can only access CSINode with the same name as the requesting node'),
  )
  const slice = (nodeName: string) => ({ metadata: { name: 's' }, spec: { nodeName } })
  await create('resourceslices', slice('n'))
  await remove('resourceslices', slice('n'))
  await expect(create('resourceslices', slice('m'))).rejects.toMatchObject(
    matchRefusal('can only create ResourceSlice with the same NodeName as the requesting node'),
  )
  await expect(remove('resourceslices', slice('m'))).rejects.toMatchObject(
    matchRefusal('can only delete ResourceSlice with the same NodeName as the requesting node'),
  )
})

it('kubelet certificates are for the node itself', async () => {
  const asA = { context: createContext('', 'system:node:a') }
  /** Certificate signing request with the subject "/O=system:nodes/CN=system:node:a". */
  const request =
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIcE1JR1JBZ0VBTUM4eEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjekVXTUJRR0ExVUVBd3dOYzNsegpkR1Z0T201dlpHVTZZVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCUDRLZEt4OXhvcmNkQzc2CjV2aEpPU04xcytReE4xQ2VVUHlYWUI2eHRQdzFjd0VIWFJGUmNBUVR0RTVmS1hERDNXdmRYNFlYSTlHTHNBNVQKeHdNcGJmV2dBREFLQmdncWhrak9QUVFEQWdOSEFEQkVBaUJnbXkwNXo2VE9Ib0paVVl6T0JqNTV0SjRla3ZuMQpNZ2dDNm9ySFJMbXZyQUlnRDJZNThZOGpBR1FPK1VLbDM4VVIxSzhtK3NOTXNlUzFQZ01CL29tRGo1OD0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg=='
  const createSigningRequest = (signerName: string) => ({ metadata: { name: 'c' }, spec: { request, signerName } })
  await create('certificatesigningrequests', createSigningRequest('kubernetes.io/kubelet-serving'), asA)
  await create('certificatesigningrequests', createSigningRequest('example.com/any'))
  for (const signer of ['kubelet-serving', 'kube-apiserver-client-kubelet']) {
    await expect(create('certificatesigningrequests', createSigningRequest(`kubernetes.io/${signer}`))).rejects.toMatchObject(
      matchRefusal('can only create a node CSR with CN=system:node:n'),
    )
  }
})

describe('tokens', () => {
  const claim = (name: string, volumeName: string): PersistentVolumeClaim => ({ metadata: { name }, spec: { volumeName } })
  const volumes: PodSpec['volumes'] = [
    { name: 'all', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'projected' } }] } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  ]
  beforeEach(async () => {
    await cluster.create('pods', createPodOn('n', { volumes }))
    await cluster.create('pods', { ...createPodOn('other'), metadata: { name: 'q' } })
    await cluster.create('persistentvolumeclaims', claim('data', 'vol'))
    await cluster.create('persistentvolumeclaims', claim('p-scratch', 'migrated'))
    await cluster.create('persistentvolumes', {
      metadata: { name: 'vol' },
      spec: { csi: { driver: 'd', volumeHandle: 'h' } },
    } as KubeObject)
    await cluster.create('persistentvolumes', { metadata: { name: 'migrated' }, spec: { cinder: { volumeID: 'v' } } } as KubeObject)
    for (const [name, audience] of [
      ['d', 'driver'],
      ['cinder.csi.openstack.org', 'migrated'],
    ] as const)
      await cluster.create('csidrivers', { metadata: { name }, spec: { tokenRequests: [{ audience }] } } as KubeObject)
  })
  const readUid = async (pod: string): Promise<string> => (await cluster.resource('pods').get('ns', pod))!.metadata.uid!
  const ask = async (reference: object | undefined, audiences: string[] = ['projected'], pod = 'p') =>
    create(
      'serviceaccounts',
      {
        metadata: { name: 'a' },
        spec: {
          audiences,
          ...(reference && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod, uid: await readUid(pod), ...reference } }),
        },
      } as KubeObject,
      { subresource: 'token', name: 'a' },
    )

  it.each(['projected', 'driver', 'migrated'])('are for an audience that a volume of the pod uses: %s', async (audience) => {
    await ask({}, [audience])
  })

  it('are for another audience with a permission', async () => {
    await expect(ask({}, ['other'])).rejects.toMatchObject(
      matchRefusal('audience "other" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience'),
    )
    cluster.allowed.add('request-serviceaccounts-token-audience other a in ns')
    await ask({}, ['other'])
    await expect(ask({}, ['projected', 'driver'])).rejects.toMatchObject(matchRefusal('node may only request 0 or 1 audiences'))
    await cluster.resource('csidrivers').delete('', 'd')
    await expect
      .poll(() => ask({}, ['other']).catch((error: unknown) => error))
      .toMatchObject(matchRefusal('error validating audience "other": csidriver.storage.k8s.io "d" not found'))
  })

  it('are bound to a pod on the node', async () => {
    await expect(ask(undefined)).rejects.toMatchObject(matchRefusal('node requested token not bound to a pod'))
    await expect(ask({ kind: 'Secret' })).rejects.toMatchObject(matchRefusal('node requested token not bound to a pod'))
    await expect(ask({ uid: '' })).rejects.toMatchObject(matchRefusal('node requested token with a pod binding without a uid'))
    await expect(ask({ uid: 'x' })).rejects.toMatchObject(
      matchRefusal(
        'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    )
    await expect(ask({}, [], 'q')).rejects.toMatchObject(matchRefusal('node requested token bound to a pod scheduled on a different node'))
    await expect(ask({ name: 'gone' })).rejects.toMatchObject({ code: 404, message: 'pod "gone" not found' })
  })
})
