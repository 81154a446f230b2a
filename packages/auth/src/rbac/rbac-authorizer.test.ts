import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@keelson/api/rbac/v1'
import { createResourceAction } from '@keelson/apimachinery'
import type { GroupResource, KubeObject, RequestedAction, UserInfo } from '@keelson/apimachinery'
import type { InformerEvent, SharedInformers } from '@keelson/loopback'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RbacAuthorizer } from './rbac-authorizer.ts'
import { RbacPolicy } from './rbac-policy.ts'
import { aRule, anAction, evaluateRule } from './rules.fixture.ts'

type AnyRole = Role | ClusterRole
type AnyBinding = RoleBinding | ClusterRoleBinding

/** A fake cluster. The authorizer follows its roles and bindings. */
class Cluster {
  readonly objects = new Map<string, Map<string, KubeObject>>()
  readonly #handlers = new Map<string, (event: InformerEvent<KubeObject>) => void>()
  readonly authorizer: RbacAuthorizer

  constructor() {
    const policy = new RbacPolicy()
    const createResource = ({ resource }: GroupResource) => ({
      subscribe: (handler: (event: InformerEvent<KubeObject>) => void) => void this.#handlers.set(resource, handler),
    })
    policy.follow({ informers: { of: createResource } as unknown as SharedInformers, client: undefined! })
    this.authorizer = new RbacAuthorizer(policy)
  }

  put(resource: string, object: AnyRole | AnyBinding): void {
    const objects = this.objects.get(resource) ?? new Map<string, KubeObject>()
    this.objects.set(resource, objects)
    const old = objects.get(formatKey(object))
    objects.set(formatKey(object), object)
    this.#handlers.get(resource)!(old === undefined ? { type: 'added', object } : { type: 'updated', object, old })
  }

  delete(resource: string, namespace: string, name: string): void {
    const object = this.objects.get(resource)?.get(`${namespace}/${name}`)
    if (object === undefined) return
    this.objects.get(resource)!.delete(`${namespace}/${name}`)
    this.#handlers.get(resource)!({ type: 'deleted', object })
  }

  list<T>(resource: string): T[] {
    return [...(this.objects.get(resource)?.values() ?? [])] as T[]
  }
}

const formatKey = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`
const createUser = (name: string, ...groups: string[]): UserInfo => ({ name, groups })
const get = (resource: string, namespace = '', name = ''): RequestedAction =>
  createResourceAction({ verb: 'get', apiGroup: '', apiVersion: 'v1', namespace, resource, name })
const createRole = (namespace: string, name: string, ...rules: PolicyRule[]): Role => ({
  metadata: { name, ...(namespace && { namespace }) },
  rules,
})
const createBinding = (namespace: string, name: string, to: string, ...subjects: Subject[]): RoleBinding => {
  const [kind = '', roleName = ''] = to.split('/')
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName }
  return { metadata: { name, ...(namespace && { namespace }) }, roleRef, subjects }
}
const readPods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

test('names the binding, the role and the first matching subject in the reason', () => {
  const cluster = new Cluster()
  const decide = (user: UserInfo, action: RequestedAction) => cluster.authorizer.authorize({ user: user, action })
  cluster.put('clusterroles', createRole('', 'reader', readPods))
  cluster.put('rolebindings', createBinding('a', 'b', 'ClusterRole/reader', { kind: 'Group', name: 'dev' }, { kind: 'User', name: 'ann' }))
  cluster.put('rolebindings', createBinding('a', 'sa', 'ClusterRole/reader', { kind: 'ServiceAccount', name: 'bot' }))
  const createAllowed = (text: string) => ({ decision: 'allow', reason: `RBAC: allowed by ${text}` })
  expect(decide(createUser('ann'), get('pods', 'a'))).toEqual(createAllowed('RoleBinding "b/a" of ClusterRole "reader" to User "ann"'))
  expect(decide(createUser('ann', 'dev'), get('pods', 'a'))).toEqual(
    createAllowed('RoleBinding "b/a" of ClusterRole "reader" to Group "dev"'),
  )
  expect(decide(createUser('system:serviceaccount:a:bot'), get('pods', 'a'))).toEqual(
    createAllowed('RoleBinding "sa/a" of ClusterRole "reader" to ServiceAccount "bot/a"'),
  )
  expect(decide(createUser('ann'), get('pods', 'other'))).toEqual({ decision: 'noOpinion', reason: '' })
  cluster.put('clusterrolebindings', createBinding('', 'all', 'ClusterRole/reader', { kind: 'User', name: 'ann' }))
  expect(decide(createUser('ann'), get('pods', 'a'))).toEqual(
    createAllowed('ClusterRoleBinding "all" of ClusterRole "reader" to User "ann"'),
  )
})

test('reports missing roles only if no rule allows the request', () => {
  const cluster = new Cluster()
  const decide = () => cluster.authorizer.authorize({ user: createUser('ann'), action: get('pods', 'a') })
  cluster.put('clusterrolebindings', createBinding('', 'x', 'ClusterRole/gone', { kind: 'User', name: 'ann' }))
  expect(decide()).toEqual({ decision: 'noOpinion', reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found' })
  cluster.put('rolebindings', createBinding('a', 'x', 'Role/absent', { kind: 'User', name: 'ann' }))
  cluster.put('rolebindings', createBinding('a', 'y', 'ClusterRole/gone', { kind: 'User', name: 'ann' }))
  const missing = 'clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "absent" not found'
  expect(decide()).toEqual({ decision: 'noOpinion', reason: `RBAC: [${missing}]` })
  expect(cluster.authorizer.rulesFor(createUser('ann'), 'a')).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
    error: `[${missing}]`,
  })
  cluster.put('roles', createRole('a', 'absent', readPods))
  expect(decide()).toMatchObject({ decision: 'allow' })
})

test('lists the rules of a user, cluster role bindings first', () => {
  const cluster = new Cluster()
  const paths: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/a'] }
  const named: PolicyRule = { ...readPods, resourceNames: ['p'] }
  cluster.put('roles', createRole('a', 'named', named))
  cluster.put('clusterroles', createRole('', 'all', readPods, paths))
  cluster.put('rolebindings', createBinding('a', 'a', 'Role/named', { kind: 'User', name: 'ann' }))
  cluster.put('clusterrolebindings', createBinding('', 'z', 'ClusterRole/all', { kind: 'User', name: 'ann' }))
  expect(cluster.authorizer.rulesFor(createUser('ann'), 'a')).toEqual({
    resourceRules: [readPods, named],
    nonResourceRules: [paths],
    incomplete: false,
  })
  expect(cluster.authorizer.rulesFor(createUser('ann'), 'b').resourceRules).toEqual([readPods])
})

/** Decides like kube-apiserver, without an index: checks every rule of every binding. */
function isAllowedNaively(cluster: Cluster, user: UserInfo, action: RequestedAction): boolean {
  const bindings = [
    ...cluster.list<AnyBinding>('clusterrolebindings'),
    ...(action.namespace === ''
      ? []
      : cluster.list<AnyBinding>('rolebindings').filter(({ metadata }) => metadata.namespace === action.namespace)),
  ]
  return bindings.some(({ metadata: { namespace = '' }, roleRef, subjects = [] }) => {
    const applies = subjects.some(({ kind, name, namespace: subjectNamespace }) => {
      if (kind === 'User') return user.name === name
      if (kind === 'Group') return user.groups.includes(name)
      const home = subjectNamespace || namespace
      return home !== '' && user.name === `system:serviceaccount:${home}:${name}`
    })
    if (!applies) return false
    const role =
      roleRef.kind === 'ClusterRole'
        ? cluster.objects.get('clusterroles')?.get(`/${roleRef.name}`)
        : cluster.objects.get('roles')?.get(`${namespace}/${roleRef.name}`)
    return ((role as AnyRole | undefined)?.rules ?? []).some((rule) => evaluateRule(rule, action))
  })
}

const aNamespace = fc.constantFrom('a', 'b')
const aSubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constantFrom('User', 'Group'), name: fc.constantFrom('ann', 'bob', 'dev') }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('bot'), namespace: fc.constantFrom('', 'a') }),
)
const rules = fc.array(aRule, { maxLength: 3 })
const subjects = fc.array(aSubject, { maxLength: 3 })
const aName = fc.constantFrom('x', 'y', 'z')
const anOperation: fc.Arbitrary<(cluster: Cluster) => void> = fc.oneof(
  fc.tuple(aName, rules).map(
    ([name, all]) =>
      (cluster: Cluster) =>
        cluster.put('clusterroles', createRole('', name, ...all)),
  ),
  fc.tuple(aNamespace, aName, rules).map(
    ([namespace, name, all]) =>
      (cluster: Cluster) =>
        cluster.put('roles', createRole(namespace, name, ...all)),
  ),
  fc.tuple(aName, aName, subjects).map(([name, to, all]) => (cluster: Cluster) => {
    cluster.put('clusterrolebindings', createBinding('', name, `ClusterRole/${to}`, ...all))
  }),
  fc
    .tuple(aNamespace, aName, fc.constantFrom('Role', 'ClusterRole'), aName, subjects)
    .map(([namespace, name, kind, to, all]) => (cluster: Cluster) => {
      cluster.put('rolebindings', createBinding(namespace, name, `${kind}/${to}`, ...all))
    }),
  fc.tuple(fc.constantFrom('roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'), fc.constantFrom('', 'a', 'b'), aName).map(
    ([resource, namespace, name]) =>
      (cluster: Cluster) =>
        cluster.delete(resource, namespace, name),
  ),
)
const aUser: fc.Arbitrary<UserInfo> = fc.record({
  name: fc.constantFrom('ann', 'bob', 'system:serviceaccount:a:bot', 'system:serviceaccount:b:bot'),
  groups: fc.subarray(['dev', 'ann']),
})
test('makes the same decisions as the naive algorithm, after any changes', () => {
  fc.assert(
    fc.property(
      fc.array(anOperation, { maxLength: 40 }),
      fc.array(fc.tuple(aUser, anAction), { minLength: 1, maxLength: 20 }),
      (changes, questions) => {
        const cluster = new Cluster()
        for (const change of changes) {
          change(cluster)
          for (const [who, action] of questions) {
            const { decision } = cluster.authorizer.authorize({ user: who, action })
            expect(decision === 'allow').toBe(isAllowedNaively(cluster, who, action))
          }
        }
      },
    ),
  )
})

test('invalidates the cache of grants when roles or bindings change or when it is full', () => {
  const cluster = new Cluster()
  const isAllowed = (resource: string) =>
    cluster.authorizer.authorize({ user: createUser('ann'), action: get(resource) }).decision === 'allow'
  for (let i = 0; i < 20; i++) {
    cluster.put('clusterroles', createRole('', `r${i}`, { ...readPods, resources: [`things${i}`] }))
    cluster.put('clusterrolebindings', createBinding('', `b${i}`, `ClusterRole/r${i}`, { kind: 'User', name: 'ann' }))
  }
  expect([isAllowed('things19'), isAllowed('pods')]).toEqual([true, false])
  cluster.put('clusterroles', createRole('', 'r7', readPods))
  expect([isAllowed('things7'), isAllowed('pods')]).toEqual([false, true])
  for (let i = 0; i < 100; i++) expect(isAllowed(`others${i}`)).toBe(false)
  cluster.delete('clusterrolebindings', '', 'b7')
  expect([isAllowed('pods'), isAllowed('things8')]).toEqual([false, true])
  cluster.put('clusterroles', createRole('', 'r0', { ...readPods, resources: ['*'] }))
  expect(isAllowed('pods')).toBe(true)
})
