import type { TLSSocket } from 'node:tls'
import { setTimeout as wait } from 'node:timers/promises'
import { HostileClient } from '../http/hostile-client.ts'
import { createHostileRequest } from '../http/hostile-request.ts'
import { judgeAnswer } from '../http/judge-answer.ts'
import { createRawRubbish } from '../http/raw-rubbish.ts'
import { startServer } from '../http/server-process.ts'
import { fail, newResult, type Scenario, type ScenarioResult } from './scenario.ts'

const requestsPerRound = 1000
const roundsPerRepeat = 17
const megabyte = 2 ** 20
const settleMs = 60_000
const maxGrowth = 100 * megabyte
const workers = 12

/** Scenario that sends 51,000 hostile requests to one server. Sends them in three repeats with a pause in between. */
export const hostileHttp: Scenario = {
  name: 'hostile-http',
  about: 'malformed and hostile requests: no crash, no hang, valid responses, no memory leak',
  rounds: 3 * roundsPerRepeat,
  roundsPerPart: 3 * roundsPerRepeat,
  shortRounds: 1,
  async run({ rounds, directory, random, note }) {
    const result = newResult()
    const long = rounds >= roundsPerRepeat
    await using server = await startServer(directory)
    using client = new HostileClient(server.port, server.token)
    const idle = await openIdle(client, long ? 5000 : 50)
    const slow = openSlowSenders(client, long ? 100 : 5)
    const rests: number[] = []
    const began = server.readMemory()
    for (let round = 1; round <= rounds; round++) {
      await sendRound(client, random, result)
      result.rounds++
      if (!server.isRunning()) {
        fail(result, `the server died: ${server.loggedErrors()}`)
        return result
      }
      if (!long || round % roundsPerRepeat !== 0) continue
      await wait(settleMs)
      rests.push(server.readMemory())
      note(
        `${result.operations} requests; memory ${formatMegabytes(rests.at(-1)!)} after ${settleMs / 1000} s, ${formatMegabytes(began)} at the start`,
      )
    }
    if (server.loggedErrors() !== '') fail(result, `the server logged errors: ${server.loggedErrors().slice(0, 2000)}`)
    if (long) {
      for (const rest of rests)
        if (rest - began > maxGrowth) fail(result, `memory is ${formatMegabytes(rest)}, ${formatMegabytes(began)} at the start`)
      if (rests.length > 2 && rests.at(-1)! > Math.max(rests[0]!, rests[1]!) + 10 * megabyte)
        fail(result, `memory grows from repeat to repeat: ${rests.map(formatMegabytes).join(', ')}`)
      const open = slow.filter((socket) => !socket.destroyed).length
      if (open > 0) fail(result, `${open} connections with incomplete headers are still open`)
    }
    result.notes.push(
      `memory ${[began, ...rests].map(formatMegabytes).join(', ')}; ${idle.filter((socket) => !socket.destroyed).length} idle connections stayed`,
    )
    for (const socket of [...idle, ...slow]) socket.destroy()
    return result
  },
}

async function sendRound(client: HostileClient, random: () => number, result: ScenarioResult): Promise<void> {
  let remaining = requestsPerRound
  const sendRequests = async (): Promise<void> => {
    while (remaining-- > 0) {
      result.operations++
      try {
        if (random() < 0.1) {
          await client.sendRaw(createRawRubbish(random))
          continue
        }
        const request = createHostileRequest(random)
        const answer = await client.send(request)
        const wrong = answer && judgeAnswer(answer, request)
        if (wrong !== undefined && result.violations.length < 20) {
          const { method, path, headers, body } = request
          fail(
            result,
            `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${body?.subarray(0, 300).toString() ?? ''}: ${wrong}`,
          )
        }
      } catch (error) {
        fail(result, String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: workers }, sendRequests))
}

async function openIdle(client: HostileClient, count: number): Promise<readonly TLSSocket[]> {
  const sockets: TLSSocket[] = []
  while (sockets.length < count) {
    const opened = Array.from({ length: Math.min(50, count - sockets.length) }, () => client.open())
    await Promise.all(opened.map((socket) => new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve))))
    sockets.push(...opened)
  }
  return sockets
}

/** Opens connections that send one header line at a time and never finish the headers. */
function openSlowSenders(client: HostileClient, count: number): readonly TLSSocket[] {
  return Array.from({ length: count }, () => {
    const socket = client.open()
    socket.write('GET /api HTTP/1.1\r\nHost: a\r\n')
    const timer = setInterval(() => socket.write('X: y\r\n'), 500)
    timer.unref()
    socket.once('close', () => clearInterval(timer))
    return socket
  })
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(0)} MB`
}
