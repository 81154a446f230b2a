import http from 'node:http'
import http2 from 'node:http2'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Exchange } from '@keelson/exchange'
import type { Incoming, Outgoing } from '@keelson/exchange'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeError } from '../encoding/write-error.ts'
import { proxyRequest } from './proxy-request.ts'

const servers: (http.Server | http2.Http2Server)[] = []
const receivedRequests: http.IncomingMessage[] = []
const stopServer = new AbortController()
let base = ''
let base2 = ''
/** Paths of endless responses whose connection was closed. */
const closedPaths: string[] = []

async function listen(server: http.Server | http2.Http2Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  const port = await listen(
    http.createServer((request, response) => {
      receivedRequests.push(request)
      const { pathname } = new URL(request.url ?? '/', 'http://remote')
      if (pathname === '/echo')
        return void request.pipe(response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'access-control-allow-origin': '*' }))
      if (pathname === '/refuse') return void response.writeHead(413, { connection: 'close' }).end('too much')
      if (pathname === '/moved') return void response.writeHead(302, { location: '/elsewhere/' }).end()
      if (pathname === '/broken') return void response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy())
      if (pathname === '/endless') {
        response.write('begun')
        return void response.once('close', () => closedPaths.push(pathname))
      }
      response.end('ok')
    }),
  )
  const serve = async (incoming: Incoming, outgoing: Outgoing): Promise<void> => {
    const exchange = new Exchange(incoming, outgoing, {})
    const path = decodeURI(exchange.target.text.split('?')[0]!).slice('/prefix'.length)
    const named = /^\/port\/(.*)$/.exec(decodeURIComponent(path))?.[1]
    const remote = { scheme: 'http', host: '127.0.0.1', port: named ?? String(path === '/nobody' ? 1 : port), path, query: '' } as const
    try {
      await proxyRequest({ exchange, stopping: stopServer.signal }, remote)
    } catch (error) {
      writeError(exchange, error)
    }
  }
  base = `http://127.0.0.1:${await listen(http.createServer((request, response) => void serve(request, response)))}`
  base2 = `http://127.0.0.1:${await listen(http2.createServer((request, response) => void serve(request, response)))}`
})
afterAll(() => servers.forEach((server) => (server.close(), 'closeAllConnections' in server && server.closeAllConnections())))

test('forwards methods, queries, bodies and responses', async () => {
  const answer = await fetch(`${base}/prefix/echo?a=%2F&b`, { method: 'PUT', body: 'x'.repeat(1_000_000) })
  expect((await answer.text()).length).toBe(1_000_000)
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  expect(receivedRequests.at(-1)).toMatchObject({
    method: 'PUT',
    url: '/echo?a=%2F&b',
    headers: { 'x-forwarded-uri': '/prefix/echo', 'x-forwarded-for': '127.0.0.1' },
  })
  expect((await fetch(`${base}/prefix/x`, { method: 'HEAD' })).status).toBe(200)
})

test('rewrites redirections to URLs of this server, and treats the root as a directory', async () => {
  const redirection = await fetch(`${base}/prefix/moved`, { redirect: 'manual' })
  expect([redirection.status, redirection.headers.get('location')]).toEqual([302, '/prefix/elsewhere/'])
  const root = await fetch(`${base}/prefix?q`, { redirect: 'manual' })
  expect([root.status, root.headers.get('location')]).toEqual([301, '/prefix/?q'])
})

test('forwards the response of a remote that does not read the whole body', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const request = http.request(`${base}/prefix/refuse`, { method: 'POST', headers: { 'content-length': '100000000' } }, (response) => {
      response.setEncoding('utf8').once('data', (text: string) => {
        resolve(`${response.statusCode} ${text}`)
        request.destroy()
      })
    })
    request.on('error', reject)
    request.write('x'.repeat(100_000))
  })
  expect(answer).toBe('413 too much')
})

test('reports remotes that are unreachable or disconnect', async () => {
  const unreachable = await fetch(`${base}/prefix/nobody`)
  expect(await unreachable.json()).toMatchObject({
    code: 503,
    message: 'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused',
  })
  await expect(fetch(`${base}/prefix/broken`).then((answer) => answer.text())).rejects.toThrow()
})

test('reports a status that is none', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.end('HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answer = await fetch(`${base}/prefix/port/${(server.address() as AddressInfo).port}`)
  expect(await answer.json()).toMatchObject({ code: 503, message: 'error trying to reach service: malformed HTTP status code "99"' })
  server.close()
})

test.each<[string, string]>([
  ...['abc', 'NaN', '0x50', '+80', '-1', '1.5', 'Infinity', '80#', '80@127.0.0.1', ' 80', '💩'].map((port): [string, string] => [
    port,
    `dial tcp: lookup 127.0.0.1:${port}: no such host`,
  ]),
  ['65536', 'dial tcp: address 65536: invalid port'],
  ['0', 'dial tcp 127.0.0.1:0: connect: connection refused'],
])('does not dial the port %j', async (port, reason) => {
  const answer = await fetch(`${base}/prefix/port/${encodeURIComponent(port)}`, { method: 'POST', body: 'x' })
  expect(await answer.json()).toMatchObject({ code: 503, message: `error trying to reach service: ${reason}` })
})

test('ends the remote request if the client disconnects', async () => {
  const disconnect = new AbortController()
  const answer = await fetch(`${base}/prefix/endless`, { signal: disconnect.signal })
  disconnect.abort()
  await expect(answer.text()).rejects.toThrow()
  await expect.poll(() => closedPaths.length).toBe(1)
})

test('forwards requests over HTTP/2', async () => {
  const session = http2.connect(base2)
  const stream = session.request({ ':method': 'POST', ':path': '/prefix/echo', authorization: 'Bearer secret' })
  stream.end('hello')
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('response', resolve))
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  session.close()
  expect([headers[':status'], headers['set-cookie'], text]).toEqual([200, ['a=1', 'b=2'], 'hello'])
  expect(receivedRequests.at(-1)!.headers).toMatchObject({ host: new URL(base2).host, 'transfer-encoding': 'chunked' })
  expect(receivedRequests.at(-1)!.headers).not.toHaveProperty('authorization')
})
