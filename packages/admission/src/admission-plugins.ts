import { messageOf } from '@keelson/apimachinery'
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

/** Registry of plugins by name. Plugins run in kube-apiserver's order; the order of registration has no effect on built-in plugins. */
export class AdmissionPlugins {
  readonly #factories = new Map<string, PluginFactory>()

  register(name: string, factory: PluginFactory): void {
    if (this.#factories.has(name)) throw new Error(`admission plugin ${name} was registered twice`)
    this.#factories.set(name, factory)
  }

  /** Names of the registered plugins, in the order in which the plugins run. */
  get names(): readonly string[] {
    return [...this.#factories.keys()].toSorted((a, b) => rank(a) - rank(b))
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
      return await this.#factories.get(name)!(dependencies, configuration)
    } catch (cause) {
      throw new AdmissionConfigurationError(`couldn't init admission plugin ${JSON.stringify(name)}: ${messageOf(cause)}`, { cause })
    }
  }

  /** Returns one message for each name that is unknown, unavailable, or both enabled and disabled. */
  problems({ enable = [], disable = [] }: PluginSelection): readonly string[] {
    const isKnown = (name: string): boolean => this.#factories.has(name) || allOrderedPlugins.includes(name)
    const unknown = (flag: string, names: readonly string[]): string[] =>
      names.filter((name) => !isKnown(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`)
    const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted()
    return [
      ...unknown('enable-admission-plugins', enable),
      ...unknown('disable-admission-plugins', disable),
      ...enable
        .filter((name) => isKnown(name) && !this.#factories.has(name) && !inactivePlugins.has(name))
        .map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is not available in this server`),
      ...(both.length > 0 ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`] : []),
    ]
  }
}

/**
 * Returns the position of a plugin in the order of execution. Custom plugins run after all built-in ones, except policies, webhooks and
 * quota.
 */
function rank(name: string): number {
  const index = allOrderedPlugins.indexOf(name)
  return index >= 0 ? index : allOrderedPlugins.indexOf('MutatingAdmissionPolicy') - 0.5
}

/** Error for an invalid selection or configuration of admission plugins. The message lists all problems. */
export class AdmissionConfigurationError extends Error {
  override readonly name = 'AdmissionConfigurationError'
}
