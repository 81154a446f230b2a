// Floods a server: each connection sends the same GET again as soon as it is answered. Arguments: URL, token, path, number of connections.
// Prints counts of the outcomes when it receives SIGTERM.
import https from 'node:https'
import { setPriority } from 'node:os'
import type { FloodCounts } from './flood.ts'

const [url = '', token = '', path = '', connections = '1'] = process.argv.slice(2)
/** Time in milliseconds after which a connection that failed sends its next request. */
const pauseAfterFailure = 100

// The quiet clients of the scenario run on the same cores.
setPriority(10)
const agent = new https.Agent({ keepAlive: true, maxSockets: Infinity, rejectUnauthorized: false })
const counts: Record<keyof FloodCounts, number> = { complete: 0, rejected: 0, failed: 0, bytes: 0 }

function send(): void {
  let isAnswered = false
  const fail = (): void => {
    counts.failed++
    setTimeout(send, pauseAfterFailure)
  }
  const request = https.get(
    url + path,
    { agent, headers: { authorization: `Bearer ${token}`, accept: 'application/json' } },
    (response) => {
      isAnswered = true
      response.on('data', (chunk: Buffer) => (counts.bytes += chunk.length))
      response.on('close', () => {
        if (!response.complete) return fail()
        counts[response.statusCode === 429 ? 'rejected' : 'complete']++
        send()
      })
    },
  )
  request.on('error', () => {
    if (!isAnswered) fail()
  })
}

process.on('SIGTERM', () => {
  process.stdout.write(JSON.stringify(counts), () => process.exit())
})
for (let connection = 0; connection < Number(connections); connection++) send()
