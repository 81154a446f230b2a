import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'
import type { PolicyObject, Vocabulary } from './random-policy.ts'

/** Names of the objects that the Node authorizer links to nodes. */
export interface NodeVocabulary {
  readonly nodes: readonly string[]
  readonly secrets: readonly string[]
  readonly configMaps: readonly string[]
  readonly claims: readonly string[]
  readonly volumes: readonly string[]
  readonly attachments: readonly string[]
  readonly resourceClaims: readonly string[]
  readonly slices: readonly string[]
}

export function createNodeVocabulary(prefix: string): NodeVocabulary {
  const createNames = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}-${kind}${i}`)
  return {
    nodes: createNames('node', 3),
    secrets: createNames('secret', 6),
    configMaps: createNames('map', 5),
    claims: createNames('claim', 4),
    volumes: createNames('volume', 4),
    attachments: createNames('attachment', 4),
    resourceClaims: createNames('device', 3),
    slices: createNames('slice', 3),
  }
}

function createObject(
  path: string,
  apiVersion: string,
  kind: string,
  rest: JsonObject & { metadata: { name: string; namespace?: string } },
): PolicyObject {
  return { path, name: rest.metadata.name, manifest: { apiVersion, kind, ...rest } }
}

/** Returns random nodes, volumes, volume attachments and resource slices. Pods are created separately. */
export function createNodeObjects(random: Random, nodes: NodeVocabulary, { namespaces }: Vocabulary): PolicyObject[] {
  const namespace = namespaces[0]!
  const storage = '/apis/storage.k8s.io/v1'
  return [
    ...nodes.nodes.map((name) => createObject('/api/v1/nodes', 'v1', 'Node', { metadata: { name } })),
    ...nodes.volumes.map((name, i) =>
      createObject('/api/v1/persistentvolumes', 'v1', 'PersistentVolume', {
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'none',
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: nodes.claims[i]! },
          csi: {
            driver: 'csi.example.com',
            volumeHandle: name,
            nodePublishSecretRef: { name: random.pick(nodes.secrets), namespace },
            ...(random.chance(0.5) && { nodeStageSecretRef: { name: random.pick(nodes.secrets), namespace } }),
          },
        },
      }),
    ),
    ...nodes.claims.map((name, i) =>
      createObject(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`, 'v1', 'PersistentVolumeClaim', {
        metadata: { name, namespace },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'none',
          resources: { requests: { storage: '1Gi' } },
          volumeName: nodes.volumes[i]!,
        },
      }),
    ),
    ...nodes.attachments.map((name, i) =>
      createObject(`${storage}/volumeattachments`, 'storage.k8s.io/v1', 'VolumeAttachment', {
        metadata: { name },
        spec: { attacher: 'csi.example.com', nodeName: random.pick(nodes.nodes), source: { persistentVolumeName: nodes.volumes[i]! } },
      }),
    ),
    ...nodes.slices.map((name, i) =>
      createObject('/apis/resource.k8s.io/v1/resourceslices', 'resource.k8s.io/v1', 'ResourceSlice', {
        metadata: { name },
        spec: {
          driver: 'devices.example.com',
          pool: { name, generation: 1, resourceSliceCount: 1 },
          nodeName: nodes.nodes[i]!,
          devices: [{ name: 'a' }],
        },
      }),
    ),
  ]
}

/** Returns a pod on a random node. The pod uses random objects. */
export function createRandomPod(
  random: Random,
  nodes: NodeVocabulary,
  { words, name }: { readonly words: Vocabulary; readonly name: string },
): PolicyObject {
  const namespace = words.namespaces[0]!
  const volumes: JsonObject[] = []
  const add = (source: JsonObject): void => void volumes.push({ name: `v${volumes.length}`, ...source })
  if (random.chance(0.5)) add({ secret: { secretName: random.pick(nodes.secrets) } })
  if (random.chance(0.5)) add({ configMap: { name: random.pick(nodes.configMaps) } })
  if (random.chance(0.5)) add({ persistentVolumeClaim: { claimName: random.pick(nodes.claims) } })
  if (random.chance(0.3)) {
    const sources = [{ secret: { name: random.pick(nodes.secrets) } }, { configMap: { name: random.pick(nodes.configMaps) } }]
    add({ projected: { sources } })
  }
  return createObject(`/api/v1/namespaces/${namespace}/pods`, 'v1', 'Pod', {
    metadata: { name, namespace },
    spec: {
      ...(random.chance(0.9) && { nodeName: random.pick(nodes.nodes) }),
      serviceAccountName: random.pick(['default', 'builder']),
      automountServiceAccountToken: random.chance(0.5),
      ...(random.chance(0.3) && { imagePullSecrets: [{ name: random.pick(nodes.secrets) }] }),
      containers: [
        {
          name: 'c',
          image: 'image',
          ...(random.chance(0.4) && { envFrom: [{ secretRef: { name: random.pick(nodes.secrets) } }] }),
          ...(random.chance(0.4) && { envFrom: [{ configMapRef: { name: random.pick(nodes.configMaps) } }] }),
        },
      ],
      volumes,
      ...(random.chance(0.4) && { resourceClaims: [{ name: 'd', resourceClaimName: random.pick(nodes.resourceClaims) }] }),
    },
  })
}

/** Returns the `resourceAttributes` of an access review for a kubelet request. */
export function createRandomNodeRequest(random: Random, nodes: NodeVocabulary, { namespaces }: Vocabulary): JsonObject {
  const verb = random.pick(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'])
  const namespace = random.chance(0.9) ? namespaces[0]! : random.pick(namespaces)
  const createOptionalName = (name: string): JsonObject => (random.chance(0.9) ? { name } : {})
  switch (
    random.weighted({
      secret: 4,
      map: 4,
      claim: 3,
      volume: 3,
      attachment: 2,
      device: 2,
      slice: 2,
      node: 3,
      pod: 3,
      lease: 2,
      csi: 2,
      account: 2,
      other: 1,
    })
  ) {
    case 'secret':
      return { verb, namespace, resource: 'secrets', ...createOptionalName(random.pick(nodes.secrets)) }
    case 'map':
      return { verb, namespace, resource: 'configmaps', ...createOptionalName(random.pick([...nodes.configMaps, 'kube-root-ca.crt'])) }
    case 'claim':
      return {
        verb,
        namespace,
        resource: 'persistentvolumeclaims',
        ...createSubresource(random, ['status']),
        ...createOptionalName(random.pick(nodes.claims)),
      }
    case 'volume':
      return {
        verb,
        resource: 'persistentvolumes',
        ...createSubresource(random, ['status']),
        ...createOptionalName(random.pick(nodes.volumes)),
      }
    case 'attachment':
      return {
        verb,
        group: 'storage.k8s.io',
        resource: 'volumeattachments',
        ...createSubresource(random, ['status']),
        ...createOptionalName(random.pick(nodes.attachments)),
      }
    case 'device':
      return {
        verb,
        namespace,
        group: 'resource.k8s.io',
        resource: 'resourceclaims',
        ...createSubresource(random, ['status']),
        ...createOptionalName(random.pick(nodes.resourceClaims)),
      }
    case 'slice':
      return {
        verb,
        group: 'resource.k8s.io',
        resource: 'resourceslices',
        ...createOptionalName(random.pick(nodes.slices)),
        ...(random.chance(0.4) && createSelector('spec.nodeName', random.pick(nodes.nodes))),
      }
    case 'node':
      return {
        verb,
        resource: 'nodes',
        ...createSubresource(random, ['status', 'proxy']),
        ...createOptionalName(random.pick(nodes.nodes)),
        ...(random.chance(0.4) && createSelector('metadata.name', random.pick(nodes.nodes))),
      }
    case 'pod':
      return {
        verb,
        namespace,
        resource: 'pods',
        ...createSubresource(random, ['status', 'eviction', 'log']),
        ...createOptionalName('pod-1'),
        ...(random.chance(0.5) && createSelector('spec.nodeName', random.pick(nodes.nodes))),
      }
    case 'lease':
      return {
        verb,
        namespace: random.pick(['kube-node-lease', namespace]),
        group: 'coordination.k8s.io',
        resource: 'leases',
        ...createOptionalName(random.pick(nodes.nodes)),
      }
    case 'csi':
      return { verb, group: 'storage.k8s.io', resource: 'csinodes', ...createOptionalName(random.pick(nodes.nodes)) }
    case 'account':
      return {
        verb,
        namespace,
        resource: 'serviceaccounts',
        ...createSubresource(random, ['token']),
        ...createOptionalName(random.pick(['default', 'builder', 'other'])),
      }
    default:
      return { verb, namespace, resource: random.pick(['services', 'endpoints', 'events', 'widgets']), ...createOptionalName('one') }
  }
}

function createSubresource(random: Random, names: readonly string[]): JsonObject {
  return random.chance(0.3) ? { subresource: random.pick(names) } : {}
}

function createSelector(key: string, value: string): JsonObject {
  return { fieldSelector: { requirements: [{ key, operator: 'In', values: [value] }] } }
}
