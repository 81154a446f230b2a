import { createDeployment, createPod, image } from './published-policy.ts'
import type { MutatingRule } from './published-policy.ts'

const documentation = 'kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy'
const proposal = 'github.com/kubernetes/enhancements KEP-3962'
const kyverno = 'github.com/kyverno/policies'

const apply = (expression: string): MutatingRule['mutations'][number] => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
})
const patch = (expression: string): MutatingRule['mutations'][number] => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

/** Rules that change objects. */
export const mutatingRules: readonly MutatingRule[] = [
  {
    name: 'sidecar-by-configuration',
    source: `${documentation}/#patch-type-apply-configuration`,
    resource: 'pods',
    reinvocationPolicy: 'IfNeeded',
    matchConditions: [{ name: 'absent', expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'proxy')" }],
    mutations: [
      apply(`Object{spec: Object.spec{initContainers: [
        Object.spec.initContainers{name: 'proxy', image: 'mesh/proxy:1', restartPolicy: 'Always'}
      ]}}`),
    ],
    changes: [
      [createPod(), { spec: { initContainers: [{ name: 'proxy', image: 'mesh/proxy:1', restartPolicy: 'Always' }] } }],
      [
        createPod({}, { initContainers: [{ name: 'first', image }] }),
        { spec: { initContainers: [{ name: 'first' }, { name: 'proxy', restartPolicy: 'Always' }] } },
      ],
    ],
  },
  {
    name: 'sidecar-by-patch',
    source: `${documentation}/#patch-type-json-patch`,
    resource: 'pods',
    matchConditions: [{ name: 'absent', expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'proxy')" }],
    mutations: [
      patch(`(has(object.spec.initContainers) ? [] : [JSONPatch{op: 'add', path: '/spec/initContainers', value: []}]) +
        [JSONPatch{op: 'add', path: '/spec/initContainers/-',
          value: Object.spec.initContainers{name: 'proxy', image: 'mesh/proxy:1', restartPolicy: 'Always'}}]`),
    ],
    changes: [
      [createPod(), { spec: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] } }],
      [createPod({}, { initContainers: [{ name: 'first', image }] }), { spec: { initContainers: [{ name: 'first' }, { name: 'proxy' }] } }],
    ],
  },
  {
    name: 'escaped-label',
    source: `${documentation}/#api-kubernetes-mutation (jsonpatch.escapeKey)`,
    resource: 'configmaps',
    mutations: [
      patch(`has(object.metadata.labels)
        ? [JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/environment'), value: 'test'}]
        : [JSONPatch{op: 'add', path: '/metadata/labels', value: {'example.com/environment': 'test'}}]`),
    ],
    changes: [
      [{ metadata: {} }, { metadata: { labels: { 'example.com/environment': 'test' } } }],
      [{ metadata: { labels: { a: 'b' } } }, { metadata: { labels: { a: 'b', 'example.com/environment': 'test' } } }],
    ],
  },
  {
    name: 'always-pull-images',
    source: `${proposal} (AlwaysPullImages as a policy)`,
    resource: 'pods',
    mutations: [
      apply(
        `Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}`,
      ),
    ],
    changes: [
      [
        createPod({ imagePullPolicy: 'Never' }, { containers: ['a', 'b'].map((name) => ({ name, image, imagePullPolicy: 'Never' })) }),
        {
          spec: {
            containers: [
              { name: 'a', image, imagePullPolicy: 'Always' },
              { name: 'b', imagePullPolicy: 'Always' },
            ],
          },
        },
      ],
    ],
  },
  {
    name: 'default-storage-class',
    source: `${proposal} (DefaultStorageClass as a policy)`,
    resource: 'persistentvolumeclaims',
    param: { class: 'slow' },
    matchConditions: [{ name: 'unset', expression: '!has(object.spec.storageClassName)' }],
    mutations: [apply('Object{spec: Object.spec{storageClassName: params.data.class}}')],
    changes: [
      [
        { metadata: {}, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        { spec: { storageClassName: 'slow' } },
      ],
      [
        { metadata: {}, spec: { storageClassName: 'own', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        { spec: { storageClassName: 'own' } },
      ],
    ],
  },
  {
    name: 'default-security-context',
    source: `${kyverno}/other/add-default-securitycontext`,
    resource: 'pods',
    mutations: [
      apply(`Object{spec: Object.spec{securityContext: Object.spec.securityContext{
        runAsNonRoot: object.spec.?securityContext.?runAsNonRoot.orValue(true),
        fsGroup: object.spec.?securityContext.?fsGroup.orValue(2000)
      }}}`),
    ],
    changes: [
      [createPod(), { spec: { securityContext: { runAsNonRoot: true, fsGroup: 2000 } } }],
      [createPod({}, { securityContext: { fsGroup: 7 } }), { spec: { securityContext: { runAsNonRoot: true, fsGroup: 7 } } }],
    ],
  },
  {
    name: 'safe-to-evict',
    source: `${kyverno}/best-practices/add-safe-to-evict`,
    resource: 'pods',
    matchConditions: [{ name: 'local', expression: 'object.spec.?volumes.orValue([]).exists(v, has(v.emptyDir) || has(v.hostPath))' }],
    mutations: [apply(`Object{metadata: Object.metadata{annotations: {'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true'}}}`)],
    changes: [
      [
        createPod({}, { volumes: [{ name: 'v', emptyDir: {} }] }),
        { metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } } },
      ],
    ],
    ignores: [[createPod(), { metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } } }]],
  },
  {
    name: 'spread-pods',
    source: `${kyverno}/other/spread-pods-across-topology`,
    resource: 'deployments',
    matchConditions: [{ name: 'distributed', expression: "object.metadata.?labels.?distributed.orValue('') == 'required'" }],
    mutations: [
      apply(`Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{topologySpreadConstraints: [
        Object.spec.template.spec.topologySpreadConstraints{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule'}
      ]}}}}`),
    ],
    changes: [
      [
        createDeployment({}, {}, { labels: { distributed: 'required' } }),
        {
          spec: {
            template: {
              spec: {
                topologySpreadConstraints: [
                  {
                    maxSkew: 1,
                    topologyKey: 'zone',
                    whenUnsatisfiable: 'DoNotSchedule',
                  },
                ],
              },
            },
          },
        },
      ],
    ],
    ignores: [[createDeployment(), { spec: { template: { spec: { topologySpreadConstraints: [{ maxSkew: 1 }] } } } }]],
  },
]
