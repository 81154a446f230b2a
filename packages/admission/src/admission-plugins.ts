import { getErrorMessage } from '@keelson/apimachinery'
import type { Clock, Scheme } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { Dialer } from '@keelson/outbound'
import type { AdmissionPlugin } from './admission.ts'
import { disposePlugins } from './create-admission-chain.ts'
import { allOrderedPlugins, defaultOffPlugins, inactivePlugins } from './plugin-order.ts'

/** Services that a plugin can use. */
export interface PluginDependencies {
  /** Client for stored objects. Use it only while handling requests: its resources may be added after the plugins are created. */
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  /** Conversions of built-in kinds between versions. Default: parameters of policies are used in the hub version. */
  readonly scheme?: Pick<Scheme, 'fromHub'>
  /** Authorizer for permissions that a write requires in addition to the permission for the request itself. */
  readonly authorizer: Authorizer
  /** Opens connections to webhooks. Default: a plugin that needs one creates a dialer that does not resolve Services. */
  readonly dialer?: Dialer
  /** Clock of the plugins. Default: the system clock. */
  readonly clock?: Clock
  /** Random number generator with results in [0, 1), for generated names and delays. */
  readonly random?: () => number
  /** Registry for the plugins' metrics. Default: the metrics are not exported. */
  readonly metrics?: MetricsRegistry
}
/**
 * Creates a plugin. `configuration` is the section for this plugin in the admission configuration, if there is one. Throws an error if the
 * configuration is invalid. A factory that reads further files returns a promise.
 */
export type PluginFactory = (dependencies: PluginDependencies, configuration?: unknown) => AdmissionPlugin | Promise<AdmissionPlugin>

export interface PluginSelection {
  /** Plugins to enable that are off by default (`--enable-admission-plugins`). */
  readonly enable?: readonly string[]
  /** Plugins to disable that are on by default (`--disable-admission-plugins`). */
  readonly disable?: readonly string[]
  /** Configuration by plugin name; see `readAdmissionConfiguration`. */
  readonly configuration?: ReadonlyMap<string, unknown>
}

/** The position of a custom plugin: just before or just after another plugin. Default: before the policies and webhooks. */
export type PluginPlace =
  | { readonly after?: string | undefined; readonly before?: undefined }
  | { readonly before?: string | undefined; readonly after?: undefined }

interface RegisteredPlugin {
  readonly factory: PluginFactory
  readonly place: PluginPlace
}

/** Registry of plugins by name. Plugins run in kube-apiserver's order; the order of registration has no effect on built-in plugins. */
export class AdmissionPlugins {
  readonly #registered = new Map<string, RegisteredPlugin>()

  /** Registers a plugin. Custom plugins with the same place run in the order of registration. Throws if the name is in use. */
  register(name: string, factory: PluginFactory, place: PluginPlace = {}): void {
    if (this.#registered.has(name)) throw new AdmissionConfigurationError(`admission plugin ${name} was registered twice`)
    this.#registered.set(name, { factory, place })
  }

  /** Names of the registered plugins, in the order in which the plugins run. Plugins whose place does not exist are left out. */
  get names(): readonly string[] {
    return this.#order().filter((name) => this.#registered.has(name))
  }

  /** Returns all names in order, including those of kube-apiserver's plugins that are not registered: a place can refer to them. */
  #order(): readonly string[] {
    const order = [...allOrderedPlugins]
    let waiting = [...this.#registered].filter(([name]) => !allOrderedPlugins.includes(name))
    for (let count = -1; waiting.length !== count;) {
      count = waiting.length
      waiting = waiting.filter(([name, { place }]) => !insertAt(order, name, place, (other) => this.#registered.get(other)?.place.after))
    }
    return order
  }

  /**
   * Creates the selected plugins in the order in which they run. Rejects with `AdmissionConfigurationError` for an invalid selection or an
   * invalid plugin configuration.
   */
  async create(dependencies: PluginDependencies, selection: PluginSelection = {}): Promise<AdmissionPlugin[]> {
    const problems = this.problems(selection)
    if (problems.length > 0) throw new AdmissionConfigurationError(problems.join(', '))
    const { enable = [], disable = [], configuration } = selection
    const isOn = (name: string): boolean => enable.includes(name) || (!disable.includes(name) && !defaultOffPlugins.has(name))
    const created: AdmissionPlugin[] = []
    try {
      for (const name of this.names.filter(isOn)) created.push(await this.#create(name, dependencies, configuration?.get(name)))
    } catch (error) {
      await disposePlugins(created)
      throw error
    }
    return created
  }

  async #create(name: string, dependencies: PluginDependencies, configuration: unknown): Promise<AdmissionPlugin> {
    try {
      return await this.#registered.get(name)!.factory(dependencies, configuration)
    } catch (cause) {
      throw new AdmissionConfigurationError(`couldn't init admission plugin ${JSON.stringify(name)}: ${getErrorMessage(cause)}`, { cause })
    }
  }

  /** Returns one message for each name that is unknown, unavailable, or both enabled and disabled. */
  problems({ enable = [], disable = [] }: PluginSelection): readonly string[] {
    const isKnown = (name: string): boolean => this.#registered.has(name) || allOrderedPlugins.includes(name)
    const describeUnknown = (flag: string, names: readonly string[]): string[] =>
      names.filter((name) => !isKnown(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`)
    const order = this.#order()
    const misplaced = [...this.#registered].filter(([name]) => !order.includes(name))
    const conflicting = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted()
    return [
      ...describeUnknown('enable-admission-plugins', enable),
      ...describeUnknown('disable-admission-plugins', disable),
      ...misplaced.map(([name, { place }]) => {
        const position = place.after === undefined ? `before ${JSON.stringify(place.before)}` : `after ${JSON.stringify(place.after)}`
        return `admission plugin ${JSON.stringify(name)} cannot run ${position}: there is no such plugin`
      }),
      ...enable
        .filter((name) => isKnown(name) && !this.#registered.has(name) && !inactivePlugins.has(name))
        .map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is not available in this server`),
      ...(conflicting.length > 0
        ? [`[${conflicting.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]
        : []),
    ]
  }
}

/** Inserts a custom plugin into the order. Returns false if its place is not in the order. `afterOf` returns the `after` of a plugin. */
function insertAt(order: string[], name: string, { after, before }: PluginPlace, afterOf: (name: string) => string | undefined): boolean {
  const anchor = order.indexOf(after ?? before ?? 'MutatingAdmissionPolicy')
  if (anchor < 0) return false
  let index = after === undefined ? anchor : anchor + 1
  while (after !== undefined && index < order.length && afterOf(order[index]!) === after) index++
  order.splice(index, 0, name)
  return true
}

/** Error for an invalid selection or configuration of admission plugins. The message lists all problems. */
export class AdmissionConfigurationError extends Error {
  override readonly name = 'AdmissionConfigurationError'
}
