import type { Delegation, DelegationParts } from '@keelson/aggregator/extension-server'
import { getErrorMessage } from '@keelson/apimachinery'
import { ConfigurationError } from './configuration-error.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

/**
 * Connects an extension API server to the API server that authenticates and authorizes its clients. Resolves to undefined for other servers.
 * Throws `ConfigurationError` if the other server cannot be used.
 */
export async function buildDelegation(
  { delegation, log }: ServerChainOptions,
  dependencies: Omit<DelegationParts, 'log'>,
): Promise<Delegation | undefined> {
  if (delegation === undefined) return undefined
  const { openDelegation } = await import('@keelson/aggregator/extension-server')
  try {
    return await openDelegation(delegation, { ...dependencies, log: (text) => log?.(0, text) })
  } catch (error) {
    throw new ConfigurationError(getErrorMessage(error), { cause: error })
  }
}
