import type { FlowSchema, NonResourcePolicyRule, ResourcePolicyRule, Subject } from '@keelson/api/flowcontrol/v1'
import { createPathAction, createResourceAction } from '@keelson/apimachinery'
import type { RequestedAction, UserInfo } from '@keelson/apimachinery'
import { describe, expect, test } from 'vitest'
import { comparePrecedence, compileSchemas } from './compile-schemas.ts'

const everything: ResourcePolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
const alice: UserInfo = { name: 'alice', groups: ['dev', 'system:authenticated'] }
const robot: UserInfo = { name: 'system:serviceaccount:ns:robot', groups: [] }
const getPod = createResourceAction({ verb: 'get', resource: 'pods', namespace: 'ns', name: 'a' })
const listNodes = createResourceAction({ verb: 'list', resource: 'nodes' })

describe('subjects', () => {
  test.each<[subject: Subject, user: UserInfo, matches: boolean]>([
    [{ kind: 'User', user: { name: 'alice' } }, alice, true],
    [{ kind: 'User', user: { name: 'bob' } }, alice, false],
    [{ kind: 'User', user: { name: '*' } }, robot, true],
    [{ kind: 'Group', group: { name: 'dev' } }, alice, true],
    [{ kind: 'Group', group: { name: 'de' } }, alice, false],
    [{ kind: 'Group', group: { name: '*' } }, robot, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'robot' } }, robot, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: 'rob' } }, robot, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }, robot, false],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'ns', name: '*' } }, robot, true],
    [{ kind: 'ServiceAccount', serviceAccount: { namespace: '*', name: '*' } }, robot, false],
    [{ kind: 'User' }, alice, false],
    [{ kind: 'Role' }, alice, false],
  ])('%j for %j: %s', (subject, user, matches) => {
    expect(isMatched({ subjects: [subject], resourceRules: [everything] }, getPod, user)).toBe(matches)
  })
})

describe('resource rules', () => {
  test.each<[changed: Partial<ResourcePolicyRule>, action: RequestedAction, matches: boolean]>([
    [{}, getPod, true],
    [{ verbs: ['list', 'get'] }, getPod, true],
    [{ verbs: ['list'] }, getPod, false],
    [{ verbs: ['list', '*'] }, getPod, false],
    [{ resources: ['pods'] }, getPod, true],
    [{ resources: ['pods'] }, { ...getPod, subresource: 'log' }, false],
    [{ resources: ['pods/log'] }, { ...getPod, subresource: 'log' }, true],
    [{ apiGroups: [''] }, getPod, true],
    [{ apiGroups: ['apps'] }, getPod, false],
    [{ namespaces: ['ns'] }, getPod, true],
    [{ namespaces: ['other'] }, getPod, false],
    [{ namespaces: ['ns'] }, listNodes, true],
    [{ clusterScope: false }, listNodes, false],
    [{ clusterScope: false }, getPod, true],
    [{ verbs: null }, getPod, false],
    [{}, createPathAction('get', '/version'), false],
  ])('%j for %j: %s', (changed, action, matches) => {
    expect(isMatched({ resourceRules: [{ ...everything, ...changed }] }, action, alice)).toBe(matches)
  })
})

describe('non-resource rules', () => {
  test.each<[rule: NonResourcePolicyRule, path: string, matches: boolean]>([
    [{ verbs: ['*'], nonResourceURLs: ['*'] }, '/version', true],
    [{ verbs: ['post'], nonResourceURLs: ['*'] }, '/version', false],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, '/healthz', true],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, '/healthz/ping', true],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }, '/healthzz', false],
    [{ verbs: ['get'], nonResourceURLs: ['/apis/*'] }, '/apis/apps', true],
    [{ verbs: ['get'], nonResourceURLs: ['/apis/*'] }, '/apis', false],
    [{ verbs: ['get'], nonResourceURLs: ['/apis*'] }, '/apis/apps', true],
    [{ verbs: ['get'], nonResourceURLs: null }, '/apis', false],
  ])('%j for %s: %s', (rule, path, matches) => {
    expect(isMatched({ nonResourceRules: [rule] }, createPathAction('get', path), alice)).toBe(matches)
  })
})

test('the first schema decides, in order of precedence and name', () => {
  const schemas = [createSchema('b', 5), createSchema('z', 1), createSchema('a', 5), createSchema('c', 20)]
  const ordered = schemas.toSorted(comparePrecedence)
  expect(ordered.map(({ metadata }) => metadata.name)).toEqual(['z', 'a', 'b', 'c'])
  const classify = compileSchemas(
    ordered.map((schema) => ({ schema, target: schema.metadata.name! })),
    'fallback',
  )
  expect(classify(getPod, alice)).toBe('z')
  expect(classify(getPod, robot)).toBe('fallback')
})

function createSchema(name: string, matchingPrecedence: number): FlowSchema {
  const subjects = [{ kind: 'Group', group: { name: 'dev' } }]
  const spec = { priorityLevelConfiguration: { name }, matchingPrecedence, rules: [{ subjects, resourceRules: [everything] }] }
  return { metadata: { name }, spec }
}

interface Rules {
  readonly subjects?: Subject[]
  readonly resourceRules?: ResourcePolicyRule[]
  readonly nonResourceRules?: NonResourcePolicyRule[]
}

function isMatched(
  { subjects = [{ kind: 'User', user: { name: '*' } }], ...rules }: Rules,
  action: RequestedAction,
  user: UserInfo,
): boolean {
  const spec = { priorityLevelConfiguration: { name: 'a' }, matchingPrecedence: 1, rules: [{ subjects, ...rules }] }
  return compileSchemas([{ schema: { metadata: { name: 'a' }, spec }, target: true }], false)(action, user)
}
