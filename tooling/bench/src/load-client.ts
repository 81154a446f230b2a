import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import type { LoadJob, LoadResult, RequestTemplate } from './load-job.ts'
import { ResponseReader } from './response-reader.ts'

/** Run as a process of its own, so that its processor time can be told from the server's. */
const job = JSON.parse(process.argv[2]!) as LoadJob
process.stdout.write(`${JSON.stringify(await run(job))}\n`)
process.exit(0)

async function run({ url, token, watch, ...load }: LoadJob): Promise<LoadResult> {
  const { hostname, port, host } = new URL(url)
  const open = (): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () =>
        resolve(socket),
      )
      socket.on('error', reject)
      socket.setNoDelay(true)
    })
  const headOf = (method: string, path: string, accept = 'application/json'): string =>
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: ${accept}\r\n`

  let events = 0
  let watchedBytes = 0
  let lastEvent = 0
  for (let i = 0; i < (watch?.streams ?? 0); i++) {
    const socket = await open()
    const reader = new ResponseReader(
      () => undefined,
      (piece) => (events += newlines(piece)),
    )
    socket.on('data', (data: Buffer) => {
      watchedBytes += data.length
      lastEvent = performance.now()
      reader.push(data)
    })
    socket.write(`${headOf('GET', watch!.path)}\r\n`)
  }
  if (watch !== undefined) await new Promise((resolve) => setTimeout(resolve, 500))

  const requests = requestMaker(load.request, headOf)
  const sockets: TLSSocket[] = []
  for (let i = 0; i < load.connections; i++) sockets.push(await open())
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const until = began + load.seconds * 1000
  const latencies: number[] = []
  let left = load.count ?? Infinity
  let failures = 0
  let firstFailure = 0
  await Promise.all(sockets.map((socket) => drive(socket)))
  const seconds = (performance.now() - began) / 1000
  if (watch !== undefined) await settled(() => events)
  const cpu = process.cpuUsage(cpuBefore)
  latencies.sort((a, b) => a - b)
  const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requests: latencies.length,
    failures,
    firstFailure,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    bytes: sockets.reduce((sum, socket) => sum + socket.bytesRead, watchedBytes),
    p50: at(0.5),
    p99: at(0.99),
    events,
    eventSeconds: Math.max(seconds, (lastEvent - began) / 1000),
  }

  function drive(socket: TLSSocket): Promise<void> {
    return new Promise((resolve, reject) => {
      const sent: number[] = []
      let first = 0
      const reader = new ResponseReader((status) => {
        latencies.push(performance.now() - sent[first]!)
        first++
        if (status >= 300) {
          failures++
          firstFailure ||= status
        }
        if (!send() && first === sent.length) resolve()
      })
      const send = (): boolean => {
        const now = performance.now()
        if (left <= 0 || now >= until) return false
        left--
        sent.push(now)
        socket.write(requests())
        return true
      }
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed the connection')))
      socket.on('data', (data: Buffer) => {
        // Requests that follow from one piece of data leave together.
        socket.cork()
        reader.push(data)
        socket.uncork()
      })
      let under = 0
      while (under < load.pipeline && send()) under++
      if (under === 0) resolve()
    })
  }
}

function requestMaker(template: RequestTemplate, headOf: (method: string, path: string, accept?: string) => string): () => Buffer | string {
  const make = (n: number): string => {
    const fill = (text: string): string => text.replaceAll('{n}', String(n))
    const body = template.body === undefined ? '' : fill(template.body)
    const head = headOf(template.method, fill(template.path), template.accept)
    return body === ''
      ? `${head}\r\n`
      : `${head}content-type: ${template.contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }
  if (!`${template.path}${template.body ?? ''}`.includes('{n}')) {
    const fixed = Buffer.from(make(0))
    return () => fixed
  }
  let next = template.firstNumber ?? 0
  return () => {
    const n = next++
    return make(template.modulo === undefined ? n : n % template.modulo)
  }
}

function newlines(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count++
  return count
}

/** Resolves when nothing has arrived for a while. */
async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
