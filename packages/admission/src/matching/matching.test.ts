import { expect, it } from 'vitest'
import { openTestCluster, write } from '../plugin.fixture.ts'
import type { TestWrite } from '../plugin.fixture.ts'
import type { AdmissionAttributes } from '../admission.ts'
import { createMatcher } from './create-matcher.ts'
import { isAdmissionConfiguration } from './is-admission-configuration.ts'
import { MatchCriteria } from './match-criteria.ts'
import type { MatchRule, MatchSpec } from './match-criteria.ts'
import { MatchIndex } from './match-index.ts'

const everything: MatchRule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }

function createPod(overrides: Partial<AdmissionAttributes> = {}): TestWrite {
  return write('pods', { metadata: { name: 'a', labels: { app: 'web' } } }, overrides)
}

function matchesRules(rule: MatchRule, attributes: AdmissionAttributes): boolean {
  return new MatchCriteria({ rules: [{ ...everything, ...rule }] }).matchRules(attributes) !== undefined
}

it.each<[MatchRule, boolean, Partial<AdmissionAttributes>?]>([
  [{}, true],
  [{ operations: ['UPDATE', 'DELETE'] }, false],
  [{ operations: ['UPDATE', 'CREATE'] }, true],
  [{ apiGroups: ['apps'] }, false],
  [{ apiGroups: ['apps', ''] }, true],
  [{ apiVersions: ['v2'] }, false],
  [{ resources: ['services', 'pods'] }, true],
  [{ resources: ['services'] }, false],
  [{ resources: ['pods'] }, false, { subresource: 'status' }],
  [{ resources: ['*'] }, false, { subresource: 'status' }],
  [{ resources: ['pods/*'] }, true, { subresource: 'status' }],
  [{ resources: ['*/status'] }, true, { subresource: 'status' }],
  [{ resources: ['*/scale'] }, false, { subresource: 'status' }],
  [{ resources: ['*/*'] }, true],
  [{ scope: 'Namespaced' }, true],
  [{ scope: 'Cluster' }, false],
  [{ scope: '*' }, true],
  [{ resourceNames: ['a', 'b'] }, true],
  [{ resourceNames: ['b'] }, false],
  [{ operations: [] }, false],
])('rule %j on a pod: %s', (rule, expected, overrides) => {
  expect(matchesRules(rule, createPod(overrides))).toBe(expected)
})

it('treats a Namespace as cluster-scoped, although its attributes have a namespace', () => {
  const attributes = write('namespaces', { metadata: { name: 'ns' } })
  expect(attributes.namespace).toBe('ns')
  expect([matchesRules({ scope: 'Cluster' }, attributes), matchesRules({ scope: 'Namespaced' }, attributes)]).toEqual([true, false])
})

it('matches everything without rules, and nothing with an empty list of rules', () => {
  expect(new MatchCriteria({ rules: undefined }).matchRules(createPod())).toMatchObject({ resource: { resource: 'pods' } })
  expect(new MatchCriteria({ rules: [] }).matchRules(createPod())).toBeUndefined()
})

it('excludes writes, also by name', () => {
  const criteria = new MatchCriteria({ rules: [everything], excludeRules: [{ ...everything, resourceNames: ['kept'] }] })
  expect(criteria.matchRules(createPod())).toBeDefined()
  expect(criteria.matchRules(createPod({ name: 'kept' }))).toBeUndefined()
})

const equivalents = ['v2', 'v3'].map((version) => ({
  resource: { group: 'x.io', version, resource: 'pods' },
  kind: { group: 'x.io', version, kind: 'Pod' },
}))

it('matches equivalent resources only by the policy Equivalent, and prefers the resource itself', () => {
  const rules = [
    { ...everything, apiVersions: ['v3'] },
    { ...everything, apiVersions: ['v2'] },
  ]
  const findMatch = (spec: MatchSpec): string | undefined => {
    const found = new MatchCriteria(spec).matchRules(createPod({ equivalents }))
    return found && `${found.resource.group}/${found.kind.version}`
  }
  expect(findMatch({ rules })).toBeUndefined()
  expect(findMatch({ rules, matchPolicy: 'Exact' })).toBeUndefined()
  expect(findMatch({ rules, matchPolicy: 'Equivalent' })).toBe('x.io/v3')
  expect(findMatch({ rules: [...rules, everything], matchPolicy: 'Equivalent' })).toBe('/v1')
  const excludeRules = [{ ...everything, apiVersions: ['v2'] }]
  expect(findMatch({ rules: [everything], excludeRules, matchPolicy: 'Equivalent' })).toBeUndefined()
})

it('finds the entries of an index that can match a path', () => {
  const createEntry = (name: string, rules: readonly MatchRule[]): { name: string; criteria: MatchCriteria } => ({
    name,
    criteria: new MatchCriteria({ rules, matchPolicy: 'Equivalent' }),
  })
  const index = new MatchIndex([
    createEntry('pods', [{ ...everything, resources: ['pods'] }]),
    createEntry('v2', [{ ...everything, apiVersions: ['v2'] }]),
    createEntry('named', [{ ...everything, resourceNames: ['other'] }]),
    createEntry('deletes', [{ ...everything, operations: ['DELETE'] }]),
  ])
  const listNames = (attributes: AdmissionAttributes): string[] => index.candidates(attributes).map(({ name }) => name)
  expect(listNames(createPod())).toEqual(['pods', 'named'])
  expect(listNames(createPod({ equivalents }))).toEqual(['pods', 'v2', 'named'])
  const path: AdmissionAttributes['equivalents'] = []
  expect(listNames(createPod({ equivalents: path, operation: 'DELETE' }))).toEqual(['pods', 'named', 'deletes'])
  expect(listNames(createPod({ equivalents: path }))).toEqual(['pods', 'named'])
  expect(listNames(write('configmaps', { metadata: {} }))).toEqual(['named'])
})

async function matches(spec: Partial<MatchSpec>, attributes: AdmissionAttributes): Promise<boolean> {
  await using cluster = openTestCluster()
  await cluster.create('namespaces', { metadata: { name: 'ns', labels: { team: 'a' } } })
  const matcher = createMatcher(cluster)
  return (await matcher.match(attributes, new MatchCriteria({ rules: undefined, ...spec }))) !== undefined
}

it.each<[Partial<MatchSpec>, boolean, Partial<AdmissionAttributes>?]>([
  [{ namespaceSelector: { matchLabels: { team: 'a' } } }, true],
  [{ namespaceSelector: { matchLabels: { team: 'b' } } }, false],
  [{ namespaceSelector: {} }, true, { namespace: 'missing' }],
  [{ namespaceSelector: { matchLabels: { team: 'b' } } }, true, { namespace: '' }],
  [{ objectSelector: { matchLabels: { app: 'web' } } }, true],
  [{ objectSelector: { matchLabels: { app: 'db' } } }, false],
  [{ objectSelector: { matchLabels: { app: 'db' } } }, true, { oldObject: { metadata: { labels: { app: 'db' } } } }],
  [{ objectSelector: { matchLabels: { app: 'web' } } }, false, { object: undefined, operation: 'DELETE' }],
  [{ objectSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } }, false, { operation: 'CONNECT' }],
])('selectors %j on a pod: %s', async (spec, expected, overrides) => {
  expect(await matches(spec, createPod(overrides))).toBe(expected)
})

it('selects a new Namespace by its own labels, and a deleted one by the stored labels', async () => {
  const spec = { namespaceSelector: { matchLabels: { team: 'a' } } }
  const create = (labels: Record<string, string>, overrides?: Partial<AdmissionAttributes>): TestWrite =>
    write('namespaces', { metadata: { name: 'ns', labels } }, overrides)
  expect(await matches(spec, create({ team: 'a' }))).toBe(true)
  expect(await matches(spec, create({ team: 'b' }))).toBe(false)
  expect(await matches(spec, create({}, { operation: 'DELETE', object: undefined }))).toBe(true)
})

it('answers 404 if the namespace does not exist and everything else matches', async () => {
  const attributes = createPod({ namespace: 'missing' })
  const namespaceSelector = { matchLabels: { team: 'a' } }
  await expect(matches({ namespaceSelector }, attributes)).rejects.toMatchObject({ code: 404, message: 'namespaces "missing" not found' })
  expect(await matches({ namespaceSelector, objectSelector: { matchLabels: { app: 'db' } } }, attributes)).toBe(false)
  expect(await matches({ namespaceSelector, rules: [] }, attributes)).toBe(false)
})

it('recognizes the configurations of webhooks and policies', () => {
  const kind = { group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingWebhookConfiguration' }
  expect([isAdmissionConfiguration(createPod({ kind })), isAdmissionConfiguration(createPod())]).toEqual([true, false])
})
