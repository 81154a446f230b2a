import { createServerChain } from './create-server-chain.ts'

// A server of its own process, for tests that kill it: ARGV is the data directory and the flags that both runs must share, as JSON.
const chain = await createServerChain(JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof createServerChain>[0])
await chain.listen()
await chain.ready
console.log(JSON.stringify({ url: chain.url, token: chain.adminToken }))
