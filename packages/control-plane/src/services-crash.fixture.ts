import type { ServerChainOptions } from './options/server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

// Runs a server in a separate process, for tests that kill it. The argument is its options as JSON.
const chain = await startChain(JSON.parse(process.argv[2] ?? '{}') as ServerChainOptions)
console.log(JSON.stringify({ url: chain.url, token: chain.adminToken }))
