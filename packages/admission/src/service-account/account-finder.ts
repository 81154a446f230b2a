import type { ServiceAccount } from '@keelson/api/core/v1'
import { pause, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, RequestContext } from '@keelson/apimachinery'
import type { PluginDependencies } from '../admission-plugins.ts'
import { findObject } from '../find-object.ts'

const serviceAccounts = { group: '', resource: 'serviceaccounts' }
/** Name of the service account that a controller creates shortly after the namespace. */
const defaultAccount = 'default'
const attempts = 10

type Account = DeepReadonly<ServiceAccount>

export class AccountFinder {
  readonly #dependencies: PluginDependencies

  constructor(dependencies: PluginDependencies) {
    this.#dependencies = dependencies
  }

  isServed(): boolean {
    return this.#dependencies.client.resource(serviceAccounts) !== undefined
  }

  /**
   * Finds a service account. Returns synchronously if the informer has it. Otherwise reads the store, up to ten times for the default
   * account.
   */
  find(context: RequestContext, namespace: string, name: string): Account | Promise<Account | undefined> {
    const found = findObject<ServiceAccount>(this.#dependencies, serviceAccounts, { namespace, name })
    if (found === undefined) return Promise.resolve(undefined)
    return found instanceof Promise ? this.#retry(found, context, namespace, name) : found
  }

  async #retry(
    first: Promise<Account | undefined>,
    context: RequestContext,
    namespace: string,
    name: string,
  ): Promise<Account | undefined> {
    const { clock = systemClock, random = Math.random } = this.#dependencies
    let account = await first
    if (account !== undefined || name !== defaultAccount) return account
    const { signal } = context
    const interval = 100 + Math.floor(random() * 100)
    for (let attempt = 1; attempt < attempts && account === undefined && !signal.aborted; attempt++) {
      await pause(clock, interval, { signal })
      account = await findObject<ServiceAccount>(this.#dependencies, serviceAccounts, { namespace, name })
    }
    return account
  }
}
