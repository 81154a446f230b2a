import { deployments, pods } from './checked-policy.fixture.ts'
import type { CheckedPolicy } from './checked-policy.fixture.ts'

/** Policies whose rules select several kinds, unknown resources or subresources. */
export const checkedRules: readonly CheckedPolicy[] = [
  {
    rules: [pods, deployments],
    variables: [{ name: 'a', expression: 'object.spec.replicas' }],
    validations: [
      { expression: 'object.spec.containers.all(c, c.image.startsWith("a"))' },
      { expression: 'object.data.x == 1' },
      { expression: 'variables.a > 1' },
    ],
    warnings: {
      'spec.validations[0].expression':
        'apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field \'containers\'\n | object.spec.containers.all(c, c.image.startsWith("a"))\n | ...........^\n',
      'spec.validations[1].expression':
        "/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'data'\n | object.data.x == 1\n | ......^\n\napps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'data'\n | object.data.x == 1\n | ......^\n",
    },
  },
  {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['events'] }],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nevents.k8s.io/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmap', 'Pods', 'pods/status', 'nosuch'] }],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [{ apiGroups: ['*'], apiVersions: ['v1'], resources: ['configmaps'] }],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {},
  },
  {
    rules: [{ apiGroups: ['autoscaling'], apiVersions: ['v1', 'v2'], resources: ['horizontalpodautoscalers', '*'] }],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "autoscaling/v1, Kind=HorizontalPodAutoscaler: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nautoscaling/v2, Kind=HorizontalPodAutoscaler: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps', ''],
        apiVersions: ['v1', 'v2'],
        resources: [
          'deployments',
          'pods',
          'replicasets',
          'statefulsets',
          'daemonsets',
          'secrets',
          'configmaps',
          'services',
          'nodes',
          'endpoints',
          'limitranges',
          'events',
        ],
      },
    ],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Endpoints: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=LimitRange: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Node: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=DaemonSet: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nevents.k8s.io/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }],
    validations: [{ expression: 'object.spec == 1' }],
    warnings: {},
  },
]
