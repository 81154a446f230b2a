import { deployments } from './checked-policy.fixture.ts'
import type { CheckedPolicy } from './checked-policy.fixture.ts'

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

/** Policies about custom resources, and policies with parameters. */
export const checkedCustomResources: readonly CheckedPolicy[] = [
  {
    rules: [{ apiGroups: ['test.example.com'], apiVersions: ['v1'], resources: ['gadgets'] }],
    validations: [
      { expression: 'object.spec.size == "a"' },
      { expression: 'object.spec.when > 1' },
      { expression: 'object.spec.any.foo == 1' },
      { expression: 'object.metadata.foo == 1' },
      { expression: 'object.metadata.name == 1' },
      { expression: 'object.spec.port == 1' },
      { expression: 'object.spec.items.all(x, x.foo == 1)' },
      { expression: 'object.spec.m["a"] == 1' },
      { expression: 'object.kind == 1' },
      { expression: 'object.spec.emb.kind == 1' },
      { expression: 'object.spec.emb.foo == 1' },
      { expression: 'object.spec.open.x == 1' },
      { expression: 'object.metadata.labels["a"] == 1' },
      { expression: 'object.metadata.creationTimestamp == 1' },
      { expression: 'object.spec.ratio == "a"' },
      { expression: 'object.status == 1' },
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
    rules: [deployments],
    paramKind: { apiVersion: 'test.example.com/v1', kind: 'Gadget' },
    validations: [{ expression: 'params.spec.foo == 1' }, { expression: 'params.spec.size > object.spec.replicas' }],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'foo'\n | params.spec.foo == 1\n | ...........^\n",
    },
  },
  {
    rules: [deployments],
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
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
    rules: [deployments],
    paramKind: { apiVersion: 'none.example.com/v1', kind: 'ConfigMap' },
    validations: [{ expression: 'params.x == 1 && object.foo == 1' }],
    warnings: {
      'spec.validations[0].expression':
        "apps/v1, Kind=Deployment: ERROR: <input>:1:24: undefined field 'foo'\n | params.x == 1 && object.foo == 1\n | .......................^\n",
    },
  },
]
