import type { ServiceAccount } from '@keelson/api/core/v1'
import { pause, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObject } from '../find-object.ts'

const serviceAccounts = { group: '', resource: 'serviceaccounts' }
/** A controller makes it a moment after the namespace. */
const expectedSoon = 'default'

type Account = DeepReadonly<ServiceAccount>

export class AccountFinder {
  readonly #dependencies: PluginDependencies

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
  }

  isServed(): boolean {
    return this.#dependencies.client.resource(serviceAccounts) !== undefined
  }

  /** At once when the copy here has it, else from the store; the default account is looked for ten times. */
  find(namespace: string, name: string, signal: AbortSignal): Account | Promise<Account | undefined> {
    const found = findObject<ServiceAccount>(this.#dependencies, serviceAccounts, { namespace, name })
    if (found === undefined) return Promise.resolve(undefined)
    return found instanceof Promise ? this.#retry(found, namespace, name, signal) : found
  }

  async #retry(first: Promise<Account | undefined>, namespace: string, name: string, signal: AbortSignal): Promise<Account | undefined> {
    const { clock = systemClock, random = Math.random } = this.#dependencies
    const interval = 100 + Math.floor(random() * 100)
    let account = await first
    for (let attempt = 1; attempt < 10 && account === undefined && name === expectedSoon && !signal.aborted; attempt++) {
      await pause(clock, interval, { signal })
      account = await findObject<ServiceAccount>(this.#dependencies, serviceAccounts, { namespace, name })
    }
    return account
  }
}
