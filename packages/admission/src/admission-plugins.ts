import type { Clock } from '@keelson/apimachinery'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { AdmissionPlugin } from './admission.ts'
import { AdmissionConfigurationError } from './configuration-error.ts'
import { allOrderedPlugins, defaultOffPlugins } from './plugin-order.ts'

/** What a plugin may be built on. */
export interface PluginDependencies {
  /** Asked only when a request comes: its resources may be added after the plugins are made. */
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  /** Default: the system's. */
  readonly clock?: Clock
  /** Numbers in [0, 1), for names and waits. */
  readonly random?: () => number
  /** Where plugins show what they measure. Default: nowhere. */
  readonly metrics?: MetricsRegistry
}
/** `configuration` is the plugin's own object from the admission configuration, if it has one there. Throws an Error that says what is wrong with it. */
export type PluginFactory = (dependencies: PluginDependencies, configuration?: unknown) => AdmissionPlugin

export interface PluginSelection {
  /** On, though off by default (`--enable-admission-plugins`). */
  readonly enable?: readonly string[]
  /** Off, though on by default (`--disable-admission-plugins`). */
  readonly disable?: readonly string[]
  /** By plugin; see `readAdmissionConfiguration`. */
  readonly configuration?: ReadonlyMap<string, unknown>
}

/** Plugins by name. Order of registration means nothing; the original's order does. */
export class AdmissionPlugins {
  readonly #factories = new Map<string, PluginFactory>()

  register(name: string, factory: PluginFactory): void {
    if (this.#factories.has(name)) throw new Error(`admission plugin ${name} was registered twice`)
    this.#factories.set(name, factory)
  }

  /** What can be selected, in the order in which it would run. */
  get names(): readonly string[] {
    return [...this.#factories.keys()].toSorted((a, b) => rank(a) - rank(b))
  }

  /** The selected plugins, in order. Throws `AdmissionConfigurationError`, also when a plugin refuses its configuration. */
  create(dependencies: PluginDependencies, selection: PluginSelection = {}): AdmissionPlugin[] {
    const problems = this.problems(selection)
    if (problems.length > 0) throw new AdmissionConfigurationError(problems.join(', '))
    const { enable = [], disable = [], configuration } = selection
    const isOn = (name: string): boolean => enable.includes(name) || (!disable.includes(name) && !defaultOffPlugins.has(name))
    return this.names.filter(isOn).map((name) => {
      try {
        return this.#factories.get(name)!(dependencies, configuration?.get(name))
      } catch (cause) {
        throw new AdmissionConfigurationError(`couldn't init admission plugin ${JSON.stringify(name)}: ${(cause as Error).message}`, {
          cause,
        })
      }
    })
  }

  /** Every name that is unknown, not available, or both enabled and disabled, one sentence each. */
  problems({ enable = [], disable = [] }: PluginSelection): readonly string[] {
    const isKnown = (name: string): boolean => this.#factories.has(name) || allOrderedPlugins.includes(name)
    const unknown = (flag: string, names: readonly string[]): string[] =>
      names.filter((name) => !isKnown(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`)
    const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted()
    return [
      ...unknown('enable-admission-plugins', enable),
      ...unknown('disable-admission-plugins', disable),
      ...enable
        .filter((name) => isKnown(name) && !this.#factories.has(name))
        .map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is not available in this server`),
      ...(both.length > 0 ? [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`] : []),
    ]
  }
}

/** Plugins of our own run before webhooks and quota, behind everything else. */
function rank(name: string): number {
  const index = allOrderedPlugins.indexOf(name)
  return index >= 0 ? index : allOrderedPlugins.indexOf('MutatingAdmissionPolicy') - 0.5
}
