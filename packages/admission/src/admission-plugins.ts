import type { Clock } from '@keelson/apimachinery'
import type { LoopbackClient } from '@keelson/loopback'
import type { AdmissionPlugin } from './admission.ts'
import { allOrderedPlugins, defaultOffPlugins } from './plugin-order.ts'

/** What a plugin may be built on. */
export interface PluginDependencies {
  /** Asked only when a request comes: its resources may be added after the plugins are made. */
  readonly client: LoopbackClient
  readonly clock?: Clock
  readonly onError?: (error: unknown) => void
}
export type PluginFactory = (dependencies: PluginDependencies) => AdmissionPlugin

export interface PluginSelection {
  /** On, though off by default (`--enable-admission-plugins`). */
  readonly enable?: readonly string[]
  /** Off, though on by default (`--disable-admission-plugins`). */
  readonly disable?: readonly string[]
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

  /** The selected plugins, in order. Throws a plain Error that names what is unknown, not there, or both on and off. */
  create(dependencies: PluginDependencies, selection: PluginSelection = {}): AdmissionPlugin[] {
    const { enable = [], disable = [] } = selection
    for (const name of [...enable, ...disable]) {
      if (!this.#factories.has(name) && !allOrderedPlugins.includes(name))
        throw new Error(`admission plugin ${JSON.stringify(name)} is unknown`)
    }
    for (const name of enable) {
      if (!this.#factories.has(name)) throw new Error(`admission plugin ${name} is not available in this server`)
      if (disable.includes(name)) throw new Error(`admission plugin ${name} is both enabled and disabled`)
    }
    const isOn = (name: string): boolean => enable.includes(name) || (!disable.includes(name) && !defaultOffPlugins.has(name))
    return this.names.filter(isOn).map((name) => this.#factories.get(name)!(dependencies))
  }
}

/** Plugins of our own run before webhooks and quota, behind everything else. */
function rank(name: string): number {
  const index = allOrderedPlugins.indexOf(name)
  return index >= 0 ? index : allOrderedPlugins.indexOf('MutatingAdmissionPolicy') - 0.5
}
