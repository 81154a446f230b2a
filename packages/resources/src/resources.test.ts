import { createApiTypes } from '@keelson/api'
import type { KubeObject } from '@keelson/apimachinery'
import { Scheme } from '@keelson/apimachinery'
import type { ResourceDefinition } from '@keelson/registry'
import { describeResource } from '@keelson/registry/testing'
import { describe, expect, it } from 'vitest'
import { apiGroups } from './api-groups.ts'
import { workloadCases } from './workloads/workload-cases.fixture.ts'
import { requests } from './certificates/certificatesigningrequests/requests.fixture.ts'

interface Cases {
  /** An object as a client sends it. */
  readonly valid: object
  readonly names?: readonly [string, string, string]
  readonly invalid: Readonly<Record<string, object>>
}

/** Valid and invalid objects by plural. The key of an invalid object is the field of its error. */
const commonCases: Readonly<Record<string, Cases>> = {
  leases: {
    valid: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } },
    invalid: { 'spec.leaseDurationSeconds': { spec: { leaseDurationSeconds: 0 } } },
  },
  endpointslices: {
    valid: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
    invalid: {
      'endpoints[0].addresses[0]': { addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }], ports: null },
      'endpoints[0].hints.forZones[1].name': {
        addressType: 'FQDN',
        endpoints: [{ addresses: ['a.example.com.'], hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }],
        ports: null,
      },
      'ports[1].name': { addressType: 'IPv4', endpoints: null, ports: [{ name: 'a' }, { name: 'a' }] },
    },
  },
  ipaddresses: {
    names: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
    valid: { spec: { parentRef: { resource: 'services', namespace: 'ns', name: 'a' } } },
    invalid: { 'spec.parentRef': { spec: {} } },
  },
  servicecidrs: {
    valid: { spec: { cidrs: ['10.1.0.0/24', 'fd00::/112'] } },
    invalid: { 'spec.cidrs[0]': { spec: { cidrs: ['10.1.0.1/24'] } }, 'spec.cidrs': { spec: { cidrs: ['10.1.0.0/24', '10.2.0.0/24'] } } },
  },
  poddisruptionbudgets: {
    valid: { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'a' } } } },
    invalid: { 'spec.maxUnavailable': { spec: { maxUnavailable: '101%' } } },
  },
  runtimeclasses: {
    valid: { handler: 'gvisor', overhead: { podFixed: { cpu: '10m' } }, scheduling: { tolerations: [{ operator: 'Exists' }] } },
    invalid: {
      handler: { handler: 'A' },
      'overhead.limits[cpu]': { handler: 'a', overhead: { podFixed: { cpu: '-1' } } },
      'scheduling.tolerations[1]': { handler: 'a', scheduling: { tolerations: [{ operator: 'Exists' }, { operator: 'Exists' }] } },
    },
  },
  priorityclasses: { valid: { value: 10 }, invalid: { value: { value: 1_000_000_001 } } },
  storageclasses: {
    valid: { provisioner: 'example.com/disk', parameters: { type: 'fast' } },
    invalid: {
      reclaimPolicy: { provisioner: 'a', reclaimPolicy: 'Recycle' },
      'allowedTopologies[0].matchLabelExpressions[0].values': {
        provisioner: 'a',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: [] }] }],
      },
    },
  },
}

const networkingCases: Readonly<Record<string, Cases>> = {
  ingresses: {
    valid: {
      spec: {
        rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }] } }],
      },
    },
    invalid: {
      spec: { spec: {} },
      'spec.rules[0].host': { spec: { rules: [{ host: '10.0.0.1' }] } },
      'spec.rules[0].http.paths[0].path': {
        spec: { rules: [{ http: { paths: [{ path: '/a/../b', pathType: 'Exact', backend: { resource: { kind: 'A', name: 'a' } } }] } }] },
      },
      'spec.defaultBackend.service.port.name': { spec: { defaultBackend: { service: { name: 'a', port: { name: '-' } } } } },
      'spec.tls[0].hosts[0]': { spec: { defaultBackend: { resource: { kind: 'A', name: 'a' } }, tls: [{ hosts: ['a.*'] }] } },
    },
  },
  ingressclasses: {
    valid: { spec: { controller: 'example.com/a', parameters: { kind: 'A', name: 'a' } } },
    invalid: {
      'spec.controller': { spec: { controller: 'example.com' } },
      'spec.parameters.namespace': { spec: { controller: 'a/b', parameters: { kind: 'A', name: 'a', scope: 'Namespace' } } },
    },
  },
  networkpolicies: {
    valid: {
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }], ports: [{ port: 1 }] }] },
    },
    invalid: {
      'spec.egress[0].ports[0].endPort': { spec: { podSelector: {}, egress: [{ ports: [{ port: 'a', endPort: 2 }] }] } },
      'spec.ingress[0].from[0]': { spec: { podSelector: {}, ingress: [{ from: [{}] }] } },
      'spec.ingress[0].from[0].ipBlock.except[0]': {
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }] }] },
      },
    },
  },
}

const storageCases: Readonly<Record<string, Cases>> = {
  csidrivers: {
    valid: { spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 600 }] } },
    invalid: {
      'spec.fsGroupPolicy': { spec: { fsGroupPolicy: 'Some' } },
      'spec.tokenRequests[1].audience': { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'a' }] } },
    },
  },
  csinodes: {
    valid: { spec: { drivers: [{ name: 'example.com', nodeID: 'a', topologyKeys: ['zone'] }] } },
    invalid: {
      'spec.drivers[0].nodeID': { spec: { drivers: [{ name: 'example.com', nodeID: '', topologyKeys: null }] } },
      'spec.drivers[0].allocatable.count': {
        spec: { drivers: [{ name: 'a', nodeID: 'a', topologyKeys: null, allocatable: { count: -1 } }] },
      },
    },
  },
  csistoragecapacities: {
    valid: { storageClassName: 'a', capacity: '1Gi', nodeTopology: { matchLabels: { zone: 'a' } } },
    invalid: { storageClassName: { storageClassName: '' }, capacity: { storageClassName: 'a', capacity: '-1' } },
  },
  volumeattachments: {
    valid: { spec: { attacher: 'example.com', source: { persistentVolumeName: 'a' }, nodeName: 'n' } },
    invalid: {
      'spec.source': { spec: { attacher: 'a', source: {}, nodeName: 'n' } },
      'spec.source.inlineVolumeSpec.csi': {
        spec: { attacher: 'a', source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } } }, nodeName: 'n' },
      },
    },
  },
  volumeattributesclasses: {
    valid: { driverName: 'example.com', parameters: { a: 'b' } },
    invalid: { driverName: { driverName: '', parameters: { a: 'b' } }, parameters: { driverName: 'a' } },
  },
}

const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' }

const rbacCases: Readonly<Record<string, Cases>> = {
  roles: {
    valid: { rules: [rule] },
    invalid: {
      'rules[0].verbs': { rules: [{ ...rule, verbs: null }] },
      'rules[0].nonResourceURLs': { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
    },
  },
  clusterroles: {
    valid: {
      rules: [rule, { verbs: ['get'], nonResourceURLs: ['/x'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
    invalid: {
      'rules[0].resources': { rules: [{ ...rule, resources: [] }] },
      'aggregationRule.clusterRoleSelectors': { rules: null, aggregationRule: {} },
    },
  },
  rolebindings: {
    valid: {
      roleRef,
      subjects: [
        { kind: 'User', name: 'a' },
        { kind: 'ServiceAccount', name: 'a' },
      ],
    },
    invalid: {
      'roleRef.kind': { roleRef: { ...roleRef, kind: 'A' } },
      'subjects[0].kind': { roleRef, subjects: [{ kind: 'A', name: 'a' }] },
    },
  },
  clusterrolebindings: {
    valid: { roleRef, subjects: [{ kind: 'Group', name: 'a' }] },
    invalid: {
      'roleRef.kind': { roleRef: { ...roleRef, kind: 'Role' } },
      'subjects[0].namespace': { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
    },
  },
}

const signing = { request: requests.ec, signerName: 'example.com/a', usages: ['client auth'] }

const certificateCases: Readonly<Record<string, Cases>> = {
  certificatesigningrequests: {
    valid: { spec: signing },
    invalid: {
      'spec.request': { spec: { ...signing, request: '' } },
      'spec.signerName': { spec: { ...signing, signerName: 'kubernetes.io/legacy-unknown' } },
      'spec.usages[0]': { spec: { ...signing, usages: ['all'] } },
    },
  },
}

const flow = { priorityLevelConfiguration: { name: 'a' } }
const requestRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }
const queue = { type: 'Queue', queuing: { queues: 8, handSize: 4, queueLengthLimit: 1 } }

const flowcontrolCases: Readonly<Record<string, Cases>> = {
  flowschemas: {
    valid: { spec: { ...flow, rules: [{ subjects: [{ kind: 'User', user: { name: '*' } }], resourceRules: [requestRule] }] } },
    invalid: {
      'spec.matchingPrecedence': { spec: { ...flow, matchingPrecedence: 1 } },
      'spec.distinguisherMethod.type': { spec: { ...flow, distinguisherMethod: { type: 'A' } } },
      'spec.rules[0].subjects[0].user': { spec: { ...flow, rules: [{ subjects: [{ kind: 'User' }], resourceRules: [requestRule] }] } },
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]': {
        spec: { ...flow, rules: [{ subjects: null, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a*b'] }] }] },
      },
      'spec.rules[0].resourceRules[0].verbs': {
        spec: { ...flow, rules: [{ subjects: null, resourceRules: [{ ...requestRule, verbs: ['*', 'get'] }] }] },
      },
    },
  },
  prioritylevelconfigurations: {
    valid: { spec: { type: 'Limited', limited: { limitResponse: queue } } },
    invalid: {
      'spec.type': { spec: { type: 'Exempt' } },
      'spec.limited.limitResponse.queuing.handSize': {
        spec: { type: 'Limited', limited: { limitResponse: { ...queue, queuing: { queues: 100_000, handSize: 8 } } } },
      },
    },
  },
}

const webhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com/a' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
}
const anyRequest = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods', 'pods/status'] }
const policy = { matchConstraints: { resourceRules: [anyRequest] } }
const webhookCases: Cases = {
  valid: { webhooks: [{ ...webhook, rules: [anyRequest], matchConditions: [{ name: 'a', expression: 'has(object.spec)' }] }] },
  invalid: {
    'webhooks[0].name': { webhooks: [{ ...webhook, name: 'a' }] },
    'webhooks[0].sideEffects': { webhooks: [{ ...webhook, sideEffects: 'Some' }] },
    'webhooks[0].clientConfig.url': { webhooks: [{ ...webhook, clientConfig: { url: 'https://u@example.com' } }] },
    'webhooks[0].rules[0].resources[1]': { webhooks: [{ ...webhook, rules: [{ ...anyRequest, resources: ['*/scale', 'a/scale'] }] }] },
    'webhooks[0].matchConditions[0].expression': { webhooks: [{ ...webhook, matchConditions: [{ name: 'a', expression: 'params.a' }] }] },
    'webhooks[0].clientConfig.service.path': {
      webhooks: [{ ...webhook, clientConfig: { service: { name: 'a', namespace: 'b', path: '/a//b' } } }],
    },
  },
}

const admissionCases: Readonly<Record<string, Cases>> = {
  mutatingwebhookconfigurations: webhookCases,
  validatingwebhookconfigurations: webhookCases,
  validatingadmissionpolicies: {
    valid: {
      spec: { ...policy, variables: [{ name: 'a', expression: '1' }], validations: [{ expression: 'variables.a > object.spec.b' }] },
    },
    invalid: {
      'spec.matchConstraints': { spec: { validations: [{ expression: 'true' }] } },
      'spec.validations': { spec: policy },
      'spec.validations[0].expression': { spec: { ...policy, validations: [{ expression: 'object.spec. == 1' }] } },
      'spec.paramKind.apiVersion': {
        spec: { ...policy, paramKind: { apiVersion: 'a/b/c', kind: 'A' }, validations: [{ expression: 'true' }] },
      },
    },
  },
  mutatingadmissionpolicies: {
    valid: {
      spec: {
        ...policy,
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 1}}' } }],
      },
    },
    invalid: {
      'spec.mutations[0].jsonPatch': { spec: { ...policy, mutations: [{ patchType: 'JSONPatch' }] } },
      'spec.reinvocationPolicy': { spec: policy },
    },
  },
  validatingadmissionpolicybindings: {
    valid: { spec: { policyName: 'a', validationActions: ['Deny'], paramRef: { name: 'a', parameterNotFoundAction: 'Deny' } } },
    invalid: {
      'spec.validationActions': { spec: { policyName: 'a', validationActions: ['Deny', 'Warn'] } },
      'spec.paramRef': { spec: { policyName: 'a', validationActions: ['Deny'], paramRef: { parameterNotFoundAction: 'Deny' } } },
    },
  },
  mutatingadmissionpolicybindings: {
    valid: { spec: { policyName: 'a' } },
    invalid: {
      'spec.policyName': { spec: {} },
      'spec.matchResources.resourceRules.operations': {
        spec: { policyName: 'a', matchResources: { resourceRules: [{ ...anyRequest, operations: ['DELETE'] }] } },
      },
    },
  },
}

const exactly = { deviceClassName: 'a', selectors: [{ cel: { expression: 'device.driver == "example.com"' } }] }
const claim = { devices: { requests: [{ name: 'a', exactly }] } }
const pool = { name: 'a/b', generation: 1, resourceSliceCount: 1 }

const deviceCases: Readonly<Record<string, Cases>> = {
  deviceclasses: {
    valid: { spec: { selectors: exactly.selectors, config: [{ opaque: { driver: 'example.com', parameters: { a: 1 } } }] } },
    invalid: {
      'spec.selectors[0].cel.expression': { spec: { selectors: [{ cel: { expression: 'gpu' } }] } },
      'spec.config[0].opaque.parameters': { spec: { config: [{ opaque: { driver: 'a', parameters: [] } }] } },
      'spec.extendedResourceName': { spec: { extendedResourceName: 'cpu' } },
    },
  },
  resourceclaims: {
    valid: { spec: claim },
    invalid: {
      'spec.devices.requests[0]': { spec: { devices: { requests: [{ name: 'a' }] } } },
      'spec.devices.requests[0].exactly.count': { spec: { devices: { requests: [{ name: 'a', exactly: { ...exactly, count: -1 } }] } } },
      'spec.devices.constraints[0].requests[0]': {
        spec: { devices: { requests: null, constraints: [{ requests: ['a'], matchAttribute: 'a/b' }] } },
      },
    },
  },
  resourceclaimtemplates: {
    valid: { spec: { metadata: { labels: { a: 'b' } }, spec: claim } },
    invalid: {
      'spec.metadata.name': { spec: { metadata: { name: 'a' }, spec: claim } },
      'spec.spec.devices.requests[1]': {
        spec: { spec: { devices: { requests: [...claim.devices.requests, ...claim.devices.requests] } } },
      },
    },
  },
  resourceslices: {
    valid: {
      spec: { driver: 'example.com', pool, nodeName: 'a', devices: [{ name: 'a', attributes: { version: { version: '1.0.0' } } }] },
    },
    invalid: {
      spec: { spec: { driver: 'a', pool } },
      'spec.pool.resourceSliceCount': { spec: { driver: 'a', pool: { ...pool, resourceSliceCount: 0 }, allNodes: true } },
      'spec.devices[0].attributes[a]': { spec: { driver: 'a', pool, allNodes: true, devices: [{ name: 'a', attributes: { a: {} } }] } },
      'spec.devices[0].capacity[a].requestPolicy.validRange.step': {
        spec: {
          driver: 'a',
          pool,
          allNodes: true,
          devices: [
            {
              name: 'a',
              allowMultipleAllocations: true,
              capacity: { a: { value: '10', requestPolicy: { default: '4', validRange: { min: '1', step: '2' } } } },
            },
          ],
        },
      },
    },
  },
}

const cases: Readonly<Record<string, Cases>> = {
  ...admissionCases,
  ...commonCases,
  ...deviceCases,
  ...certificateCases,
  ...flowcontrolCases,
  ...networkingCases,
  ...rbacCases,
  ...storageCases,
  ...workloadCases,
}

const types = createApiTypes(apiGroups.flatMap((group) => group.types))
const scheme = new Scheme()
for (const group of apiGroups) group.register(scheme)
const definitions = apiGroups.flatMap(({ resources }) => resources)

/** Builds an object with defaults, like the store receives it. */
function createObject({ group, version, kind }: ResourceDefinition, members: object, name = ''): KubeObject {
  const created: KubeObject = { metadata: { name }, ...structuredClone(members) }
  scheme.setDefaults({ group, version, kind }, created)
  return created
}

for (const definition of definitions) {
  const { valid, invalid, names } = cases[definition.plural] ?? {}
  if (valid === undefined || invalid === undefined) continue
  describeResource(definition, {
    types,
    valid: () => createObject(definition, valid),
    ...(names && { names }),
    invalid: Object.entries(invalid).map(([field, members]) => ({
      title: field,
      field,
      object: () => createObject(definition, members, names?.[0] ?? 'a'),
    })),
  })
}

describe('built-in groups', () => {
  it('lists each resource once, in its own group', () => {
    for (const { name, resources } of apiGroups) expect(resources.map(({ group }) => group)).toEqual(resources.map(() => name))
    const names = definitions.map(({ group, plural }) => `${plural}.${group}`)
    expect(new Set(names).size).toBe(names.length)
  })

  it('includes the type of each resource', () => {
    for (const { group, version, kind } of definitions) expect(types.kind({ group, version, kind }), kind).toBeDefined()
  })

  it.each(definitions.map((definition) => [definition.plural, definition] as const))('%s has test cases', (plural) => {
    expect(cases[plural]).toBeDefined()
  })
})
