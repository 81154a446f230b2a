import type { ParamKind, Rule, Validation, Variable } from '@keelson/api/admissionregistration/v1'

/** A policy, and the warnings that kube-controller-manager 1.36.4 wrote to its status. */
export interface CheckedPolicy {
  readonly rules: readonly Rule[]
  readonly paramKind?: ParamKind
  readonly variables?: readonly Variable[]
  readonly validations: readonly Validation[]
  /** Warnings by the field of the expression. */
  readonly warnings: Readonly<Record<string, string>>
}

/** The definition of the custom resource in these policies. */
export const gadgets: object = {
  metadata: { name: 'gadgets.test.example.com' },
  spec: {
    group: 'test.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  ratio: { type: 'number' },
                  when: { type: 'string', format: 'date-time' },
                  any: { 'x-kubernetes-preserve-unknown-fields': true },
                  port: { 'x-kubernetes-int-or-string': true },
                  items: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
                  m: { type: 'object', additionalProperties: { type: 'string' } },
                  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        },
      },
    ],
  },
}

export const checkedPolicies: readonly CheckedPolicy[] = [
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    validations: [
      {
        expression: "object.spec.replicas > '1'",
      },
      {
        expression: 'object.spec.replicas > 1',
      },
      {
        expression: 'object.spec.template.spec.containers.all(c, c.resources.limits["memory"] == "x")',
      },
      {
        expression: 'object.spec.strategy.rollingUpdate.maxSurge == 5',
      },
      {
        expression: 'object.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z")',
      },
      {
        expression: 'object.spec.template.spec.containers[0].ports[0].containerPort == "x"',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n",
      'spec.validations[2].expression':
        'apps/v1, Kind=Deployment: ERROR: <input>:1:56: undefined field \'limits\'\n | object.spec.template.spec.containers.all(c, c.resources.limits["memory"] == "x")\n | .......................................................^\n',
      'spec.validations[5].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:64: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.template.spec.containers[0].ports[0].containerPort == \"x\"\n | ...............................................................^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
      },
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    variables: [
      {
        name: 'a',
        expression: 'object.spec.replicas',
      },
    ],
    validations: [
      {
        expression: 'object.spec.containers.all(c, c.image.startsWith("a"))',
      },
      {
        expression: 'object.data.x == 1',
      },
      {
        expression: 'variables.a > 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        'apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field \'containers\'\n | object.spec.containers.all(c, c.image.startsWith("a"))\n | ...........^\n',
      'spec.validations[1].expression':
        "/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'data'\n | object.data.x == 1\n | ......^\n\napps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'data'\n | object.data.x == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['events'],
      },
    ],
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nevents.k8s.io/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['configmap', 'Pods', 'pods/status', 'nosuch'],
      },
    ],
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['*'],
        apiVersions: ['v1'],
        resources: ['configmaps'],
      },
    ],
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {},
  },
  {
    rules: [
      {
        apiGroups: ['autoscaling'],
        apiVersions: ['v1', 'v2'],
        resources: ['horizontalpodautoscalers', '*'],
      },
    ],
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "autoscaling/v1, Kind=HorizontalPodAutoscaler: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nautoscaling/v2, Kind=HorizontalPodAutoscaler: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apiextensions.k8s.io'],
        apiVersions: ['v1'],
        resources: ['customresourcedefinitions'],
      },
    ],
    validations: [
      {
        expression: 'object.spec.versions[0].schema.openAPIV3Schema.properties["x"].foo == 1',
      },
      {
        expression: 'object.spec.versions[0].schema.openAPIV3Schema.foo == 1',
      },
      {
        expression: 'object.spec.versions[0].schema.openAPIV3Schema.enum == 1',
      },
      {
        expression: 'object.spec.versions[0].schema.openAPIV3Schema.not.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        'apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:63: undefined field \'foo\'\n | object.spec.versions[0].schema.openAPIV3Schema.properties["x"].foo == 1\n | ..............................................................^\n',
      'spec.validations[1].expression':
        "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:47: undefined field 'foo'\n | object.spec.versions[0].schema.openAPIV3Schema.foo == 1\n | ..............................................^\n",
      'spec.validations[2].expression':
        "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:47: undefined field 'enum'\n | object.spec.versions[0].schema.openAPIV3Schema.enum == 1\n | ..............................................^\n",
      'spec.validations[3].expression':
        "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: ERROR: <input>:1:51: undefined field 'foo'\n | object.spec.versions[0].schema.openAPIV3Schema.not.foo == 1\n | ..................................................^\n",
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
    validations: [
      {
        expression: 'object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Endpoints: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=LimitRange: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Node: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=DaemonSet: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\nevents.k8s.io/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['secrets'],
      },
    ],
    validations: [
      {
        expression: 'object.data["a"] == 1',
      },
      {
        expression: 'object.foo == 1',
      },
      {
        expression: 'object.metadata.managedFields[0].fieldsV1.x == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=Secret: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(bytes, int)'\n | object.data[\"a\"] == 1\n | .................^\n",
      'spec.validations[1].expression': "/v1, Kind=Secret: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
      'spec.validations[2].expression':
        "/v1, Kind=Secret: ERROR: <input>:1:42: undefined field 'x'\n | object.metadata.managedFields[0].fieldsV1.x == 1\n | .........................................^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
      },
    ],
    validations: [
      {
        expression: 'object.spec.volumes[0].emptyDir.sizeLimit == 1',
      },
      {
        expression: 'object.spec.containers[0].livenessProbe.httpGet.port == "a"',
      },
      {
        expression: 'object.spec.containers[0].resources.requests.cpu == "1"',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=Pod: ERROR: <input>:1:32: undefined field 'sizeLimit'\n | object.spec.volumes[0].emptyDir.sizeLimit == 1\n | ...............................^\n",
      'spec.validations[2].expression':
        '/v1, Kind=Pod: ERROR: <input>:1:36: undefined field \'requests\'\n | object.spec.containers[0].resources.requests.cpu == "1"\n | ...................................^\n',
    },
  },
  {
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
      },
    ],
    validations: [
      {
        expression: 'true',
      },
      {
        expression: 'object.metadata.name == "x"',
      },
    ],
    warnings: {},
  },
  {
    rules: [
      {
        apiGroups: ['test.example.com'],
        apiVersions: ['v1'],
        resources: ['gadgets'],
      },
    ],
    validations: [
      {
        expression: 'object.spec.size == "a"',
      },
      {
        expression: 'object.spec.when > 1',
      },
      {
        expression: 'object.spec.any.foo == 1',
      },
      {
        expression: 'object.metadata.foo == 1',
      },
      {
        expression: 'object.metadata.name == 1',
      },
      {
        expression: 'object.spec.port == 1',
      },
      {
        expression: 'object.spec.items.all(x, x.foo == 1)',
      },
      {
        expression: 'object.spec.m["a"] == 1',
      },
      {
        expression: 'object.kind == 1',
      },
      {
        expression: 'object.spec.emb.kind == 1',
      },
      {
        expression: 'object.spec.emb.foo == 1',
      },
      {
        expression: 'object.spec.open.x == 1',
      },
      {
        expression: 'object.metadata.labels["a"] == 1',
      },
      {
        expression: 'object.metadata.creationTimestamp == 1',
      },
      {
        expression: 'object.spec.ratio == "a"',
      },
      {
        expression: 'object.status == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.size == \"a\"\n | .................^\n",
      'spec.validations[1].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:18: found no matching overload for '_>_' applied to '(timestamp, int)'\n | object.spec.when > 1\n | .................^\n",
      'spec.validations[2].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:12: undefined field 'any'\n | object.spec.any.foo == 1\n | ...........^\n",
      'spec.validations[3].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:16: undefined field 'foo'\n | object.metadata.foo == 1\n | ...............^\n",
      'spec.validations[4].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(string, int)'\n | object.metadata.name == 1\n | .....................^\n",
      'spec.validations[6].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:27: undefined field 'foo'\n | object.spec.items.all(x, x.foo == 1)\n | ..........................^\n",
      'spec.validations[7].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(string, int)'\n | object.spec.m[\"a\"] == 1\n | ...................^\n",
      'spec.validations[8].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(string, int)'\n | object.kind == 1\n | ............^\n",
      'spec.validations[9].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(string, int)'\n | object.spec.emb.kind == 1\n | .....................^\n",
      'spec.validations[10].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:16: undefined field 'foo'\n | object.spec.emb.foo == 1\n | ...............^\n",
      'spec.validations[11].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:17: undefined field 'x'\n | object.spec.open.x == 1\n | ................^\n",
      'spec.validations[12].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:29: found no matching overload for '_==_' applied to '(string, int)'\n | object.metadata.labels[\"a\"] == 1\n | ............................^\n",
      'spec.validations[13].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:35: found no matching overload for '_==_' applied to '(timestamp, int)'\n | object.metadata.creationTimestamp == 1\n | ..................................^\n",
      'spec.validations[14].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:19: found no matching overload for '_==_' applied to '(double, string)'\n | object.spec.ratio == \"a\"\n | ..................^\n",
      'spec.validations[15].expression':
        "test.example.com/v1, Kind=Gadget: ERROR: <input>:1:7: undefined field 'status'\n | object.status == 1\n | ......^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    paramKind: {
      apiVersion: 'test.example.com/v1',
      kind: 'Gadget',
    },
    validations: [
      {
        expression: 'params.spec.foo == 1',
      },
      {
        expression: 'params.spec.size > object.spec.replicas',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'foo'\n | params.spec.foo == 1\n | ...........^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    paramKind: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
    },
    validations: [
      {
        expression: 'params.data.a == 1',
        messageExpression: '"a" + string(object.spec.nothing)',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'\n | params.data.a == 1\n | ..............^\n",
      'spec.validations[0].messageExpression':
        'apps/v1, Kind=Deployment: ERROR: <input>:1:25: undefined field \'nothing\'\n | "a" + string(object.spec.nothing)\n | ........................^\n',
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    paramKind: {
      apiVersion: 'none.example.com/v1',
      kind: 'ConfigMap',
    },
    validations: [
      {
        expression: 'params.x == 1 && object.foo == 1',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:24: undefined field 'foo'\n | params.x == 1 && object.foo == 1\n | .......................^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    variables: [
      {
        name: 'v',
        expression: 'object.nothing',
      },
      {
        name: 'w',
        expression: 'object.spec.replicas',
      },
    ],
    validations: [
      {
        expression: 'oldObject.foo == 1',
      },
      {
        expression: 'authorizer.requestResource.check("a").allowed()',
      },
      {
        expression: 'authorizer.path("/x").check("get").allowed()',
      },
      {
        expression: 'variables.v == 1',
      },
      {
        expression: 'variables.w.startsWith("a")',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:10: undefined field 'foo'\n | oldObject.foo == 1\n | .........^\n",
      'spec.validations[1].expression':
        'apps/v1, Kind=Deployment: ERROR: <input>:1:11: unexpected failed resolution of \'kubernetes.authorization.Authorizer\'\n | authorizer.requestResource.check("a").allowed()\n | ..........^\n',
      'spec.validations[4].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:23: found no matching overload for 'startsWith' applied to 'int.(string)'\n | variables.w.startsWith(\"a\")\n | ......................^\n",
    },
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments/scale'],
      },
    ],
    validations: [
      {
        expression: 'object.spec == 1',
      },
    ],
    warnings: {},
  },
  {
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    validations: [
      {
        expression: 'object.spec == 1',
      },
      {
        expression: 'object.spec.selector == 1',
      },
      {
        expression: '[object.spec] == [1]',
      },
      {
        expression: 'object.spec.template == object.metadata',
      },
    ],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(Deployment820317518.spec, int)'\n | object.spec == 1\n | ............^\n",
      'spec.validations[1].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(Deployment820317518.spec.selector, int)'\n | object.spec.selector == 1\n | .....................^\n",
      'spec.validations[2].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(list(Deployment820317518.spec), list(int))'\n | [object.spec] == [1]\n | ..............^\n",
      'spec.validations[3].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(Deployment820317518.spec.template, Deployment820317518.metadata)'\n | object.spec.template == object.metadata\n | .....................^\n",
    },
  },
]
