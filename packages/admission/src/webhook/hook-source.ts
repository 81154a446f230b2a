import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@keelson/api/admissionregistration/v1'
import { pause, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Informer } from '@keelson/loopback'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { MatchIndex } from '../matching/match-index.ts'
import type { Hook, HookDependencies } from './hook.ts'
import { createHook } from './hook.ts'

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration

/** A webhook and its position among all webhooks of its type, which appears in audit annotations. */
export interface HookEntry {
  readonly hook: Hook
  readonly criteria: Hook['criteria']
  readonly position: number
}

const empty = new MatchIndex<HookEntry>([])
const syncTimeout = 10_000

/**
 * The webhooks of all configurations, in the order in which they are called: by the name of the configuration, and then by their order in
 * it. A change replaces the whole list before the next write. Webhooks of unchanged configurations keep their compiled state.
 */
export class HookSource {
  readonly #resource: string
  readonly #plugin: PluginDependencies
  readonly #dependencies: HookDependencies
  readonly #compiled = new Map<DeepReadonly<Configuration>, readonly Hook[]>()
  #informer: Informer<Configuration> | undefined
  #index = empty
  #isCurrent = true

  constructor(plugin: PluginDependencies, dependencies: HookDependencies) {
    this.#resource = `${dependencies.type}webhookconfigurations`
    this.#plugin = plugin
    this.#dependencies = dependencies
  }

  /** Returns the webhooks. Returns a promise only until the first list has been read; it rejects with 403 if that takes too long. */
  index(attributes: AdmissionAttributes): MatchIndex<HookEntry> | Promise<MatchIndex<HookEntry>> {
    const informer = (this.#informer ??= this.#follow())
    if (informer === undefined) return empty
    return informer.hasSynced ? this.#getCurrent(informer) : this.#waitForSync(informer, attributes)
  }

  /** Subscribes to the configurations. Returns undefined if the resource is not served. */
  #follow(): Informer<Configuration> | undefined {
    const informer = this.#plugin.informers.of<Configuration>({ group: 'admissionregistration.k8s.io', resource: this.#resource })
    informer?.subscribe(() => (this.#isCurrent = false))
    return informer
  }

  async #waitForSync(informer: Informer<Configuration>, attributes: AdmissionAttributes): Promise<MatchIndex<HookEntry>> {
    const { clock = systemClock } = this.#plugin
    await Promise.race([informer.synced, pause(clock, syncTimeout, { signal: attributes.context.signal })])
    if (!informer.hasSynced) throw newForbiddenWrite(attributes, 'not yet ready to handle request')
    return this.#getCurrent(informer)
  }

  #getCurrent(informer: Informer<Configuration>): MatchIndex<HookEntry> {
    if (this.#isCurrent) return this.#index
    this.#isCurrent = true
    const configurations = informer.list().toSorted((a, b) => compareNames(a.metadata.name ?? '', b.metadata.name ?? ''))
    const current = new Set(configurations)
    for (const old of this.#compiled.keys()) if (!current.has(old)) this.#compiled.delete(old)
    for (const each of configurations) if (!this.#compiled.has(each)) this.#compiled.set(each, this.#compile(each))
    this.#dependencies.clients.retain(configurations.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig)))
    const hooks = configurations.flatMap((each) => this.#compiled.get(each)!)
    this.#index = new MatchIndex(hooks.map((hook, position) => ({ hook, criteria: hook.criteria, position })))
    return this.#index
  }

  #compile({ metadata: { name: configuration = '' }, webhooks = [] }: DeepReadonly<Configuration>): readonly Hook[] {
    const counts = new Map<string, number>()
    return webhooks.map((webhook) => {
      const count = counts.get(webhook.name) ?? 0
      counts.set(webhook.name, count + 1)
      return createHook(configuration, webhook, `${configuration}/${webhook.name}/${count}`, this.#dependencies)
    })
  }
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
