import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'

/** A server that listens and is ready. Without controllers, unless some are named. */
export async function startChain(options: ServerChainOptions = {}): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], ...options })
  await chain.listen()
  await chain.ready
  return chain
}
