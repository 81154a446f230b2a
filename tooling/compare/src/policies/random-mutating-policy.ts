import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'
import { conditions, createMatchConstraints, createMatchResources, createSeveral, repeat, variables } from './random-admission-policy.ts'
import type { BoundPolicy } from './random-admission-policy.ts'
import { createParamRef, pickParamKind } from './random-params.ts'

/** Expressions of applied configurations. Many of them fail for some objects. */
const configurations = [
  'Object{}',
  "Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}}",
  "Object{metadata: Object.metadata{labels: {'team': 'z'}, annotations: {'a/b': 'ü'}}}",
  "Object{metadata: Object.metadata{labels: {'op': request.operation}}}",
  'Object{metadata: Object.metadata{labels: object.metadata.labels}}',
  "Object{metadata: Object.metadata{annotations: {'name': object.metadata.name}}}",
  "Object{metadata: Object.metadata{finalizers: ['example.com/mutated']}}",
  "Object{data: {'max': '9', 'more': string(size(object.data))}}",
  "Object{data: {'max': 9}}",
  'Object{spec: Object.spec{replicas: 4}}',
  'Object{spec: Object.spec{replicas: object.spec.replicas + 1}}',
  "Object{spec: Object.spec{replicas: 'x'}}",
  "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'sidecar', image: 'busybox'}]}}",
  "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: 'Never'})}}",
  "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{hostname: 'h'}}}}",
  "Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{labels: {'x': 'y'}}}}}",
  "Object{spec: Object.spec{nodeSelector: {'disk': 'ssd'}, hostname: object.metadata.name}}",
  "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'k', operator: 'Exists'}]}}",
  'Object{spec: Object.spec{nosuchfield: 1}}',
  'Object{spec: Object.wrong{replicas: 1}}',
  "Object{status: Object.status{phase: 'Running'}}",
  "Object{kind: 'Other', apiVersion: 'v7'}",
  "object.metadata.name == 'a1' ? Object{metadata: Object.metadata{labels: {'one': 'yes'}}} : Object{}",
  "has(object.spec) ? Object{spec: Object.spec{priority: 3}} : Object{metadata: Object.metadata{labels: {'none': 'yes'}}}",
]

/** Expressions of JSON patches. */
const patches = [
  '[]',
  "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'mutated': 'yes'}}]",
  "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}]",
  "[JSONPatch{op: 'test', path: '/metadata/name', value: 'a1'}, JSONPatch{op: 'add', path: '/metadata/annotations', value: {'t': 'yes'}}]",
  "[JSONPatch{op: 'remove', path: '/metadata/labels'}]",
  "[JSONPatch{op: 'remove', path: '/metadata/labels/absent'}]",
  "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 6}]",
  "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 'x'}]",
  "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'sidecar', image: 'busybox'}}]",
  "[JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [{'name': 'A', 'value': 'b'}]}]",
  "[JSONPatch{op: 'copy', from: '/metadata/name', path: '/spec/hostname'}]",
  "[JSONPatch{op: 'move', from: '/metadata/labels', path: '/metadata/annotations'}]",
  "[JSONPatch{op: 'add', path: '/data', value: {'max': '7'}}]",
  "[JSONPatch{op: 'add', path: '/data/n', value: object.metadata.name}]",
  "[JSONPatch{op: 'add', path: '/spec/nosuchfield', value: 1}]",
  "[JSONPatch{op: 'change', path: '/spec', value: 1}]",
  "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'renamed'}]",
  "has(object.metadata.labels) ? [] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]",
  "object.metadata.?labels.orValue({}).map(k, JSONPatch{op: 'replace', path: '/metadata/labels/' + jsonpatch.escapeKey(k), value: 'r'})",
]

/** Expressions that use parameters. They do not show which of several parameters comes last. */
const withParams = [
  "Object{metadata: Object.metadata{labels: {'kind': params.kind}}}",
  "Object{metadata: Object.metadata{labels: {'has-params': string(params != null)}}}",
]
/** Expressions for bindings with at most one parameter. */
const withOneParam = [
  "Object{metadata: Object.metadata{labels: {'max': params.data.max}}}",
  "Object{metadata: Object.metadata{annotations: {'param': params.metadata.name + params.?metadata.?namespace.orValue('')}}}",
  "Object{metadata: Object.metadata{annotations: {'none': params.data.none}}}",
]

/** Creates a mutating policy and its binding. Some of its mutations are rejected or fail, because the responses to those are compared too. */
export function createRandomMutatingPolicy(random: Random, name: string, namespace: string): BoundPolicy {
  const paramKind = random.chance(0.4) ? pickParamKind(random) : undefined
  const paramRef = paramKind !== undefined && random.chance(0.92) ? createParamRef(random, paramKind, namespace) : undefined
  const hasVariables = random.chance(0.3)
  const hasOneParam = paramRef !== undefined && JSON.stringify(paramRef['selector']) !== '{}'
  const expressions = [
    ...configurations,
    ...repeat(paramKind === undefined ? [] : hasOneParam ? [...withParams, ...withOneParam] : withParams),
    ...repeat(hasVariables ? ["Object{metadata: Object.metadata{annotations: {'n': variables.n, 'l': string(variables.l.size())}}}"] : []),
  ]
  const createMutation = (): JsonObject =>
    random.chance(0.6)
      ? { patchType: 'ApplyConfiguration', applyConfiguration: { expression: random.pick(expressions) } }
      : { patchType: 'JSONPatch', jsonPatch: { expression: random.pick(patches) } }
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: random.pick(['Fail', 'Fail', 'Ignore']),
      reinvocationPolicy: random.pick(['Never', 'IfNeeded']),
      matchConstraints: createMatchConstraints(random),
      mutations: createSeveral(random, 3, createMutation),
      ...(hasVariables && { variables }),
      ...(paramKind && { paramKind: { apiVersion: paramKind.apiVersion, kind: paramKind.kind } }),
      ...(random.chance(0.2) && { matchConditions: [{ name: 'c', expression: random.pick(conditions) }] }),
    },
  }
  const binding = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, matchResources: createMatchResources(random, namespace), ...(paramRef && { paramRef }) },
  }
  return { plural: 'mutatingadmissionpolicies', policy, binding }
}
