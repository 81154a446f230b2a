import { deployments, pods } from './checked-policy.fixture.ts'
import type { CheckedPolicy } from './checked-policy.fixture.ts'

/** Policies about fields and variables of built-in kinds. */
export const checkedFields: readonly CheckedPolicy[] = [
  {
    rules: [deployments],
    validations: [{ expression: 'object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
    },
  },
  {
    rules: [deployments],
    validations: [
      { expression: "object.spec.replicas > '1'" },
      { expression: 'object.spec.replicas > 1' },
      { expression: 'object.spec.template.spec.containers.all(c, c.resources.limits["memory"] == "x")' },
      { expression: 'object.spec.strategy.rollingUpdate.maxSurge == 5' },
      { expression: 'object.metadata.creationTimestamp > timestamp("2020-01-01T00:00:00Z")' },
      { expression: 'object.spec.template.spec.containers[0].ports[0].containerPort == "x"' },
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
    rules: [{ apiGroups: ['apiextensions.k8s.io'], apiVersions: ['v1'], resources: ['customresourcedefinitions'] }],
    validations: [
      { expression: 'object.spec.versions[0].schema.openAPIV3Schema.properties["x"].foo == 1' },
      { expression: 'object.spec.versions[0].schema.openAPIV3Schema.foo == 1' },
      { expression: 'object.spec.versions[0].schema.openAPIV3Schema.enum == 1' },
      { expression: 'object.spec.versions[0].schema.openAPIV3Schema.not.foo == 1' },
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
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
    validations: [
      { expression: 'object.data["a"] == 1' },
      { expression: 'object.foo == 1' },
      { expression: 'object.metadata.managedFields[0].fieldsV1.x == 1' },
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
    rules: [pods],
    validations: [
      { expression: 'object.spec.volumes[0].emptyDir.sizeLimit == 1' },
      { expression: 'object.spec.containers[0].livenessProbe.httpGet.port == "a"' },
      { expression: 'object.spec.containers[0].resources.requests.cpu == "1"' },
    ],
    warnings: {
      'spec.validations[0].expression':
        "/v1, Kind=Pod: ERROR: <input>:1:32: undefined field 'sizeLimit'\n | object.spec.volumes[0].emptyDir.sizeLimit == 1\n | ...............................^\n",
      'spec.validations[2].expression':
        '/v1, Kind=Pod: ERROR: <input>:1:36: undefined field \'requests\'\n | object.spec.containers[0].resources.requests.cpu == "1"\n | ...................................^\n',
    },
  },
  {
    rules: [pods],
    validations: [{ expression: 'true' }, { expression: 'object.metadata.name == "x"' }],
    warnings: {},
  },
  {
    rules: [deployments],
    variables: [
      { name: 'v', expression: 'object.nothing' },
      { name: 'w', expression: 'object.spec.replicas' },
    ],
    validations: [
      { expression: 'oldObject.foo == 1' },
      { expression: 'authorizer.requestResource.check("a").allowed()' },
      { expression: 'authorizer.path("/x").check("get").allowed()' },
      { expression: 'variables.v == 1' },
      { expression: 'variables.w.startsWith("a")' },
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
    rules: [deployments],
    validations: [
      { expression: 'object.spec == 1' },
      { expression: 'object.spec.selector == 1' },
      { expression: '[object.spec] == [1]' },
      { expression: 'object.spec.template == object.metadata' },
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
