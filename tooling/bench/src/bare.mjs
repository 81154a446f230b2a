// The bare server, with whose speed results are compared: a plain Hono HTTPS handler that responds to every request with the same Buffer.
//   node bare.mjs --key KEY --cert CERT --body FILE [--status 200] [--raw | --http2 | --durable DIR | --proxy URL] [--lmdb DIR]
// --raw     node:https without Hono, to check that Hono is not the bottleneck
// --http2   HTTP/2, directly on node:http2's streams
// --durable the limit of writes, without Hono: parses the body, puts the bytes into lmdb, and responds with them once they are on disk
// --proxy   forwards every request to another HTTPS server over node:https, instead of sending the body
// --only    with --raw and --http2: responds with {} to requests for other paths
// --lmdb    also opens an empty lmdb environment, to compare idle memory
// A GET with ?watch opens a stream; each POST to /emit writes the bytes once to every open stream.
import { Agent, createServer, request as sendRequest } from 'node:https'
import { createSecureServer } from 'node:http2'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'

const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    cert: { type: 'string' },
    body: { type: 'string' },
    status: { type: 'string', default: '200' },
    raw: { type: 'boolean', default: false },
    http2: { type: 'boolean', default: false },
    durable: { type: 'string' },
    proxy: { type: 'string' },
    only: { type: 'string' },
    lmdb: { type: 'string' },
  },
})
const tls = { key: readFileSync(values.key), cert: readFileSync(values.cert) }
const body = readFileSync(values.body)
const empty = Buffer.from('{}')
const status = Number(values.status)
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
const init = { status, headers }

if (values.lmdb !== undefined) (await import('lmdb')).open({ path: values.lmdb })

const server =
  values.durable !== undefined
    ? await openDurableServer(values.durable)
    : values.proxy !== undefined
      ? createProxy(values.proxy)
      : values.raw
        ? createRawServer()
        : values.http2
          ? createHttp2Server()
          : createHonoServer()
server.listen(0, '127.0.0.1', () => console.log(`ready https://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))

function createHonoServer() {
  const app = new Hono()
  const streams = new Set()
  app.post('/emit', (c) => {
    for (const stream of streams) stream.write(body)
    return c.text('')
  })
  app.get('*', (c) => {
    if (!c.env.incoming.url.includes('watch')) return new Response(body, init)
    const { outgoing } = c.env
    outgoing.writeHead(200, { 'content-type': 'application/json' })
    outgoing.flushHeaders()
    streams.add(outgoing)
    outgoing.on('close', () => streams.delete(outgoing))
    return RESPONSE_ALREADY_SENT
  })
  app.all('*', async (c) => {
    await c.req.arrayBuffer()
    return c.body(body, status, headers)
  })
  return createAdaptorServer({ fetch: app.fetch, createServer, serverOptions: tls })
}

function selectBody(path) {
  return values.only === undefined || path.startsWith(values.only) ? body : empty
}

function createRawServer() {
  return createServer(tls, (request, response) => {
    request.resume()
    const sent = selectBody(request.url)
    response.writeHead(status, { ...headers, 'content-length': String(sent.length) })
    response.end(sent)
  })
}

function createProxy(url) {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  return createServer(tls, (incoming, outgoing) => {
    const { method, url: path, headers: received } = incoming
    const request = sendRequest(new URL(path, url), { method, agent, headers: received }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(request)
  })
}

function createHttp2Server() {
  // Node refuses new streams of a session with more than 10 MB of unsent bytes.
  const server = createSecureServer({ ...tls, maxSessionMemory: 1000 })
  server.on('stream', (stream, { ':path': path }) => {
    const sent = selectBody(path)
    stream.respond({ ':status': status, ...headers, 'content-length': String(sent.length) })
    stream.end(sent)
  })
  return server
}

async function openDurableServer(path) {
  const { open } = await import('lmdb')
  const database = open({ path, encoding: 'binary' })
  let next = 0
  const write = async (received, response) => {
    JSON.parse(received)
    await database.put(`object-${next++}`, body)
    await database.flushed
    response.writeHead(status, headers)
    response.end(body)
  }
  return createServer(tls, (request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => void write(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), response))
  })
}
