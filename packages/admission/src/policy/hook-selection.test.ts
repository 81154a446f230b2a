import * as fc from 'fast-check'
import type { LabelSelector } from '@keelson/apimachinery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestCluster, update, write } from '../plugin.fixture.ts'
import type { TestCluster } from '../plugin.fixture.ts'
import { createMatcher } from '../matching/create-matcher.ts'
import { MatchCriteria } from '../matching/match-criteria.ts'
import { HookSelection } from './hook-selection.ts'
import type { Policy } from './policy-kinds.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = openTestCluster()
  await cluster.create('namespaces', { metadata: { name: 'ns', labels: { team: 'a', env: 'test' } } })
  await cluster.informers.of({ group: '', resource: 'namespaces' })!.synced
})
afterAll(() => cluster[Symbol.asyncDispose]())

interface Hook {
  readonly name: string
  readonly policy: Policy
  readonly criteria: MatchCriteria
  readonly bindings: readonly { readonly criteria: MatchCriteria | undefined }[]
}

const createCriteria = (namespaceSelector: LabelSelector, objectSelector: LabelSelector): MatchCriteria =>
  new MatchCriteria({ rules: undefined, namespaceSelector, objectSelector })

const word = fc.constantFrom('team', 'env', 'app')
const value = fc.constantFrom('a', 'b', 'test')
const labels = fc.dictionary(word, value, { maxKeys: 3 })
const requirement = fc.oneof(
  fc.record({ key: word, operator: fc.constantFrom('In', 'NotIn'), values: fc.array(value, { minLength: 1, maxLength: 2 }) }),
  fc.record({ key: word, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
)
const selector = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 2 }) },
  { requiredKeys: [] },
) as fc.Arbitrary<LabelSelector>
const hooks = fc
  .array(fc.record({ namespace: selector, object: selector, binding: fc.option(selector), hasParams: fc.boolean() }), { maxLength: 8 })
  .map((selectors) =>
    selectors.map(({ namespace, object, binding, hasParams }, i): Hook => {
      const policy = { metadata: {}, spec: hasParams ? { paramKind: {} } : {} }
      const bound = { criteria: binding === null ? undefined : createCriteria(binding, {}) }
      return { name: `p${i}`, policy, criteria: createCriteria(namespace, object), bindings: [bound] }
    }),
  )

it('leaves out no policy that has an effect, and keeps the order', async () => {
  const matcher = createMatcher(cluster)
  await fc.assert(
    fc.asyncProperty(hooks, labels, fc.option(labels), async (generatedHooks, objectLabels, old) => {
      const selection = new HookSelection<Hook>(cluster.informers)
      const object = { metadata: { name: 'x', labels: objectLabels } }
      const attributes = old === null ? write('pods', object) : update('pods', { metadata: { name: 'x', labels: old } }, object)
      const selected = selection.select(generatedHooks, attributes)
      expect(selected).toEqual(generatedHooks.filter((hook) => selected.includes(hook)))
      for (const hook of generatedHooks) {
        if (selected.includes(hook)) continue
        const isMatch = (await matcher.match(attributes, hook.criteria)) !== undefined
        const { criteria } = hook.bindings[0]!
        const isBound = criteria === undefined || (await matcher.match(attributes, criteria)) !== undefined
        expect(isMatch && (isBound || hook.policy.spec?.paramKind !== undefined)).toBe(false)
      }
    }),
  )
})

it('leaves out policies for other namespaces and other labels', () => {
  const selection = new HookSelection<Hook>(cluster.informers)
  const createHook = (name: string, namespace: LabelSelector, object: LabelSelector): Hook => {
    return { name, policy: { metadata: {} }, criteria: createCriteria(namespace, object), bindings: [{ criteria: undefined }] }
  }
  const sortedHooks = [
    createHook('any', {}, {}),
    createHook('other namespace', { matchLabels: { team: 'b' } }, {}),
    createHook('this namespace', { matchLabels: { team: 'a' } }, { matchLabels: { app: 'web' } }),
    createHook('other label', {}, { matchLabels: { app: 'db' } }),
  ]
  const selected = selection.select(sortedHooks, write('pods', { metadata: { name: 'x', labels: { app: 'web' } } }))
  expect(selected.map(({ name }) => name)).toEqual(['any', 'this namespace'])
})

it('sees a changed namespace', async () => {
  const selection = new HookSelection<Hook>(cluster.informers)
  const only: Hook = {
    name: 'b',
    policy: { metadata: {} },
    criteria: createCriteria({ matchLabels: { changed: 'yes' } }, {}),
    bindings: [{ criteria: undefined }],
  }
  const indexedHooks = [only]
  const select = (): number => selection.select(indexedHooks, write('pods', { metadata: { name: 'x' } })).length
  expect(select()).toBe(0)
  await cluster
    .resource('namespaces')
    .update('', 'ns', (object) => ({ ...object, metadata: { ...object.metadata, labels: { changed: 'yes' } } }))
  await expect.poll(select).toBe(1)
})
