import type { ServerChainOptions } from './server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

// A server of its own process, for tests that kill it: ARGV is the data directory and the flags that both runs must share, as JSON.
const chain = await startChain(JSON.parse(process.argv[2] ?? '{}') as ServerChainOptions)
console.log(JSON.stringify({ url: chain.url, token: chain.adminToken }))
