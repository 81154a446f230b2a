import { Agent, request } from 'node:https'
import { createServerChain } from './create-server-chain.ts'

// Starts a server that is never closed, and a client that keeps its connection to the server open.
const chain = await createServerChain({ serving: { unref: true }, controllers: ['none'] })
await chain.listen()
await chain.ready
const agent = new Agent({ keepAlive: true, ca: chain.certificateAuthority })
request(`${chain.url}/readyz`, { agent }, (answer) => {
  answer.resume()
  answer.on('end', () => console.log('answered'))
}).end()
