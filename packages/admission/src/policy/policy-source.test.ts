import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import type { Informer, InformerEvent } from '@keelson/loopback'
import { beforeEach, expect, it } from 'vitest'
import type { PluginDependencies } from '../admission-plugins.ts'
import { write } from '../plugin.fixture.ts'
import { PolicySource } from './policy-source.ts'
import type { Policy, PolicyBinding } from './policy-kinds.ts'
import { newPolicy } from './validating/policies.fixture.ts'

/** An informer whose objects the test sets. */
class TestInformer<T extends KubeObject> implements Informer<T> {
  readonly synced = Promise.resolve()
  readonly hasSynced = true
  readonly #objects = new Map<string, T>()
  readonly #handlers = new Set<(event: InformerEvent<T>) => void>()

  set(name: string, object: T): void {
    this.#objects.set(name, object)
    for (const handler of this.#handlers) handler({ type: 'added', object: object as DeepReadonly<T> })
  }

  delete(name: string): void {
    const object = this.#objects.get(name) as DeepReadonly<T>
    this.#objects.delete(name)
    for (const handler of this.#handlers) handler({ type: 'deleted', object })
  }

  get(_: string, name: string): DeepReadonly<T> | undefined {
    return this.#objects.get(name) as DeepReadonly<T> | undefined
  }

  list(): readonly DeepReadonly<T>[] {
    return [...this.#objects.values()] as DeepReadonly<T>[]
  }

  subscribe(handler: (event: InformerEvent<T>) => void): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

let policies: TestInformer<Policy>
let bindings: TestInformer<PolicyBinding>
let clock: ManualClock
let isServed: boolean
/** Compiled policies with their generation. */
let compiled: string[]
/** Functions that end the compilations in progress. Undefined: compilations end at once. */
let pending: (() => void)[] | undefined
let source: PolicySource<Policy, PolicyBinding, string>

beforeEach(() => {
  policies = new TestInformer()
  bindings = new TestInformer()
  clock = createManualClock()
  isServed = true
  compiled = []
  pending = undefined
  const informers = { of: ({ resource }: { resource: string }) => (!isServed ? undefined : resource === 'policies' ? policies : bindings) }
  source = new PolicySource({
    dependencies: { clock, informers } as unknown as PluginDependencies,
    policies: { group: '', resource: 'policies' },
    bindings: { group: '', resource: 'bindings' },
    async compile({ metadata }) {
      if (pending !== undefined) await new Promise<void>((resolve) => pending!.push(resolve))
      compiled.push(`${metadata.name} ${metadata.generation}`)
      return compiled.at(-1)!
    },
  })
})

const attributes = write('configmaps', { metadata: { name: 'a' } })
const setPolicy = (name: string, generation = 1): void => policies.set(name, newPolicy(name, {}, generation))
const bind = (name: string, policyName: string): void => bindings.set(name, { metadata: { name }, spec: { policyName } })
const listNames = async (): Promise<readonly string[]> => {
  await settle()
  const hooks = await source.hooks(attributes)
  return hooks!
    .candidates(attributes)
    .map(({ evaluator, bindings: bound }) => `${evaluator}: ${bound.map(({ binding }) => binding.metadata.name).join(' ')}`)
}
const finishCompilations = async (): Promise<void> => {
  for (const finish of pending!.splice(0)) finish()
  pending = undefined
  await settle()
}

it('lists policies and their bindings by name', async () => {
  for (const name of ['c', 'b', 'a']) setPolicy(name)
  for (const name of ['c', 'a', 'missing']) bind(`of-${name}`, name)
  bind('also-of-a', 'a')
  expect(await listNames()).toEqual(['a 1: also-of-a of-a', 'c 1: of-c'])
})

it('is synchronous once the policies are compiled', async () => {
  setPolicy('a')
  bind('of-a', 'a')
  expect(source.hooks(attributes)).toBeInstanceOf(Promise)
  await listNames()
  expect(source.hooks(attributes)).not.toBeInstanceOf(Promise)
})

it('adds a policy when policy and binding exist, and removes it with either', async () => {
  expect(await listNames()).toEqual([])
  bind('of-a', 'a')
  expect(await listNames()).toEqual([])
  setPolicy('a')
  expect(await listNames()).toEqual(['a 1: of-a'])
  bindings.delete('of-a')
  expect(await listNames()).toEqual([])
  bind('of-a', 'a')
  expect(await listNames()).toEqual(['a 1: of-a'])
  policies.delete('a')
  expect(await listNames()).toEqual([])
})

it('removes a policy with the first request after the deletion of its binding', async () => {
  setPolicy('a')
  bind('of-a', 'a')
  await listNames()
  bindings.delete('of-a')
  const hooks = source.hooks(attributes)
  expect(hooks instanceof Promise ? 'waits' : hooks!.entries).toEqual([])
})

it('compiles a policy again only if its generation changed', async () => {
  setPolicy('a')
  bind('of-a', 'a')
  await listNames()
  setPolicy('a')
  bind('second', 'a')
  expect(await listNames()).toEqual(['a 1: of-a second'])
  setPolicy('a', 2)
  expect(await listNames()).toEqual(['a 2: of-a second'])
  expect(compiled).toEqual(['a 1', 'a 2'])
})

it('keeps the earlier state of a policy until the new one is compiled, and removes others meanwhile', async () => {
  for (const name of ['a', 'b']) setPolicy(name)
  for (const name of ['a', 'b']) bind(name, name)
  await listNames()
  pending = []
  setPolicy('a', 2)
  bindings.delete('b')
  expect(await listNames()).toEqual(['a 1: a'])
  await finishCompilations()
  expect(await listNames()).toEqual(['a 2: a'])
})

it('compiles a change that came during a compilation', async () => {
  setPolicy('a')
  bind('a', 'a')
  await listNames()
  pending = []
  setPolicy('a', 2)
  await settle()
  setPolicy('a', 3)
  await finishCompilations()
  expect(await listNames()).toEqual(['a 3: a'])
})

it('refuses writes with a 403 if the policies are not compiled within ten seconds', async () => {
  pending = []
  setPolicy('a')
  bind('a', 'a')
  const refused = expect(source.hooks(attributes)).rejects.toMatchObject({
    code: 403,
    message: 'configmaps "a" is forbidden: not yet ready to handle request',
  })
  await clock.pass(10_000)
  await refused
})

it('has no policies if the server does not serve them', () => {
  isServed = false
  expect(source.hooks(attributes)).toBeUndefined()
})
