import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { ManualClock } from '@keelson/apimachinery/testing'
import { openMemory } from '@keelson/backend-embedded'
import { createLoopbackClient, createWorkQueueMetrics } from '@keelson/loopback'
import type { LoopbackResource } from '@keelson/loopback'
import type { ResourceDefinition } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { apiextensionsGroup } from '../definitions/index.ts'
import type { CustomResources, FollowedDefinition } from './custom-resources.ts'
import { startDefinitionControllers } from './start-definition-controllers.ts'
import type { DefinitionControllers } from './start-definition-controllers.ts'

export type Definition = DeepReadonly<CustomResourceDefinition>

/** Returns a definition of "things.example.com" or of another name, with the given parts of its spec. */
export function createDefinition(name: string, names: object = {}, spec: object = {}): CustomResourceDefinition {
  const [plural = '', ...group] = name.split('.')
  const kind = plural[0]!.toUpperCase() + plural.slice(1).replace(/s$/, '')
  return {
    metadata: { name },
    spec: {
      group: group.join('.'),
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...names },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  }
}

/** Instances of one definition in a test: the number of objects by namespace. */
export class TestInstances {
  readonly counts = new Map<string, number>()
  /** Namespaces whose objects have finalizers. */
  readonly held = new Set<string>()
  deletions = 0
  failure: string | undefined
  #waiting: (() => void)[] = []

  async namespaces(): Promise<ReadonlySet<string>> {
    return new Set(this.counts.keys())
  }

  async deleteAll(namespace: string): Promise<void> {
    this.deletions++
    if (this.failure !== undefined) throw new Error(this.failure)
    if (!this.held.has(namespace)) this.drop(namespace)
  }

  drop(namespace: string): void {
    this.counts.delete(namespace)
    if (this.counts.size === 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  waitUntilEmpty(signal: AbortSignal): Promise<void> {
    if (this.counts.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

/** Records the calls of the controllers, as "+name version of the status" and "-name". */
export class TestResources implements CustomResources {
  readonly served = new Map<string, FollowedDefinition>()
  readonly calls: string[] = []
  readonly objects = new Map<string, TestInstances>()

  install(definition: FollowedDefinition): void {
    const name = definition.outline.metadata.name!
    if (!this.served.has(name)) this.calls.push(`+${name}`)
    this.served.set(name, definition)
  }

  remove(name: string): void {
    if (this.served.delete(name)) this.calls.push(`-${name}`)
  }

  instances(name: string): TestInstances | undefined {
    if (!this.served.has(name)) return undefined
    let instances = this.objects.get(name)
    if (instances === undefined) this.objects.set(name, (instances = new TestInstances()))
    return instances
  }
}

export interface TestControllers extends AsyncDisposable {
  readonly clock: ManualClock
  readonly definitions: LoopbackResource<CustomResourceDefinition>
  readonly resources: TestResources
  readonly errors: string[]
  controllers: DefinitionControllers
  /** Starts the controllers again, as after a crash. */
  restart(): Promise<void>
  /** Waits until a condition of a definition has a status, and returns "status reason: message" of it. */
  condition(name: string, type: string, status: string): Promise<string>
  /** Waits until a definition satisfies the predicate. Undefined stands for a definition that does not exist. */
  until(name: string, predicate: (definition: Definition | undefined) => boolean): Promise<Definition | undefined>
}

export interface TestControllersOptions {
  readonly establishDelayMs?: number
}

/** Admits definitions that an old kube-apiserver may have stored. */
function withoutValidation(definition: ResourceDefinition): ResourceDefinition {
  const valid = { validateCreate: () => [], validateUpdate: () => [] }
  const { update } = definition.subresources!['status']!
  return {
    ...definition,
    strategy: { ...definition.strategy, ...valid },
    subresources: { status: { update: { ...update, ...valid } } },
  }
}

export async function openControllers(options: TestControllersOptions = {}): Promise<TestControllers> {
  const clock = createManualClock()
  const backend = openMemory()
  const test = openTestStore(withoutValidation(apiextensionsGroup.resources[0]!), { backend, now: () => clock.now() })
  const client = createLoopbackClient({ now: () => clock.now() })
  client.add({ group: 'apiextensions.k8s.io', version: 'v1' }, test.paths)
  const definitions = client.resource<CustomResourceDefinition>({
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
  })!
  const resources = new TestResources()
  const errors: string[] = []
  const start = (): DefinitionControllers =>
    startDefinitionControllers({
      client,
      resources,
      clock,
      metrics: createWorkQueueMetrics(createMetricsRegistry()),
      onError: (controller, error) => errors.push(`${controller}: ${(error as Error).message}`),
      ...options,
    })!
  const opened: TestControllers = {
    clock,
    definitions,
    resources,
    errors,
    controllers: start(),
    async restart() {
      await opened.controllers[Symbol.asyncDispose]()
      opened.controllers = start()
      await opened.controllers.synced
    },
    async condition(name, type, status) {
      const find = (found: Definition | undefined) => found?.status?.conditions?.find((condition) => condition.type === type)
      const found = find(await opened.until(name, (current) => find(current)?.status === status))!
      return `${found.reason}: ${found.message}`
    },
    async until(name, predicate) {
      for (let turn = 0; turn < 2000; turn++) {
        const found = await definitions.get('', name, { resourceVersion: '' })
        if (predicate(found)) return found
        await new Promise(setImmediate)
      }
      throw new Error(`${name} stays ${JSON.stringify((await definitions.get('', name))?.status)}`)
    },
    async [Symbol.asyncDispose]() {
      await opened.controllers[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
      await backend[Symbol.asyncDispose]()
    },
  }
  await opened.controllers.synced
  return opened
}
