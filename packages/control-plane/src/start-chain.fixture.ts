import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'

/** Starts a server and waits until it is ready. Runs no controllers by default. */
export async function startChain(options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], ...options })
  await chain.listen()
  await chain.ready
  return chain
}
