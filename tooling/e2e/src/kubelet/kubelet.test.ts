import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { WebSocketFrameReader } from '@keelson/apimachinery/httpstream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HttpsClient } from '../https-client.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { startServerWithKubelet } from './server-with-kubelet.ts'
import type { ServerWithKubelet } from './server-with-kubelet.ts'
import type { TestKubelet } from './test-kubelet.ts'

/** Polling options with a long timeout, because the machine may be busy. */
const longTimeout = { timeout: 15_000 }

const openssl = findOpenssl()
const kubectlBinary = findKubectl()
/** Address of this machine that is not a loopback address, because the server does not connect to loopback addresses. */
const address = Object.values(os.networkInterfaces())
  .flatMap((infos) => infos ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

describe.skipIf(openssl === undefined)('a kubelet', { timeout: 60_000 }, () => {
  let setup: ServerWithKubelet
  let kubelet: TestKubelet
  let server: KeelsonProcess
  let client: HttpsClient
  let kubectl: Kubectl
  let directory: string
  let makeNode: ServerWithKubelet['makeNode']
  let makePod: ServerWithKubelet['makePod']

  beforeAll(async () => {
    setup = await startServerWithKubelet(openssl ?? '', address)
    ;({ kubelet, server, client, directory, makeNode, makePod } = setup)
    kubectl = new Kubectl(kubectlBinary ?? '', server, directory)
  })
  afterAll(() => setup[Symbol.asyncDispose]())

  const merge = { 'content-type': 'application/merge-patch+json' }
  const pods = '/api/v1/namespaces/default/pods'

  const log = (query: string, name = 'p') => client.request('GET', `${pods}/${name}/log?${query}`)

  describe('logs of a container', () => {
    test('are returned, and the server authenticates to the kubelet with its certificate', async () => {
      kubelet.log('one')
      kubelet.log('two')
      const answer = await log('tailLines=1&timestamps=true&sinceSeconds=60&limitBytes=1000')
      expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'text/plain', '2026-01-01T00:00:00Z two\n'])
      const seen = kubelet.requests.at(-1)!
      expect(seen.url).toBe('/containerLogs/default/p/c?limitBytes=1000&sinceSeconds=60&tailLines=1&timestamps=true')
      expect(seen.client).toBe('apiserver')
      expect(seen.headers).not.toHaveProperty('authorization')
    })

    test('are empty for a pod without a node, but invalid options are rejected', async () => {
      await makePod('nowhere')
      expect((await log('', 'nowhere')).status).toBe(204)
      expect((await log('container=none')).parseJson()).toMatchObject({ code: 400, message: 'container none is not valid for pod p' })
      expect((await log('tailLines=-1&limitBytes=0&sinceSeconds=0')).parseJson()).toMatchObject({
        code: 422,
        message:
          'PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
      })
      expect((await log('tailLines=x')).parseJson()).toMatchObject({ code: 400, message: 'strconv.ParseInt: parsing "x": invalid syntax' })
      expect((await log('', 'none')).parseJson()).toMatchObject({ code: 404, message: 'pods "none" not found' })
    })

    test('require a container name if the pod has several containers, and pass on the errors of the kubelet', async () => {
      const containers = ['a', 'waiting'].map((name) => ({ name, image: 'busybox' }))
      await makePod('two', { nodeName: 'n', containers })
      expect((await log('', 'two')).parseJson()).toMatchObject({
        code: 400,
        message: 'a container name must be specified for pod two, choose one of: [a waiting]',
      })
      expect((await log('container=waiting', 'two')).parseJson()).toMatchObject({
        code: 400,
        reason: 'BadRequest',
        message: 'container "waiting" in pod "p" is waiting to start: ContainerCreating',
      })
    })

    test('require a valid certificate of the kubelet, unless its verification is disabled', async () => {
      await makeNode('elsewhere', '127.0.0.1')
      await makePod('misplaced', { nodeName: 'elsewhere' })
      const refused = await log('', 'misplaced')
      expect(refused.status).toBe(500)
      expect(refused.text).toContain('tls: failed to verify certificate')
      expect((await log('insecureSkipTLSVerifyBackend=true', 'misplaced')).status).toBe(200)
    })

    test('fail for a node that does not exist or does not listen', async () => {
      await makePod('lost', { nodeName: 'no-such-node' })
      expect((await log('', 'lost')).parseJson()).toMatchObject({ code: 404, message: 'pods "no-such-node" not found' })
      await client.request('PATCH', '/api/v1/nodes/elsewhere/status', {
        body: { status: { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } },
        headers: merge,
      })
      expect((await log('', 'misplaced')).parseJson()).toMatchObject({
        code: 500,
        message: 'Get "https://127.0.0.1:1/containerLogs/default/misplaced/c": dial tcp 127.0.0.1:1: connect: connection refused',
      })
    })
  })

  describe('a request without upgrade or without permission', () => {
    test('is rejected', async () => {
      const answer = await client.request('POST', `${pods}/p/exec?command=true&stdout=1`)
      expect(answer.parseJson()).toMatchObject({ code: 400, reason: 'BadRequest', message: 'Upgrade request required' })
      expect((await client.request('PUT', `${pods}/p/exec`)).status).toBe(405)
      expect((await client.request('POST', `${pods}/nowhere/exec?command=true`)).parseJson()).toMatchObject({
        code: 400,
        message: 'pod nowhere does not have a host assigned',
      })
      const forbidden = await client.request('GET', `${pods}/p/exec?command=true`, { token: 'alicetoken' })
      expect(forbidden.status).toBe(403)
    })
  })

  describe.skipIf(address === undefined)('proxies', () => {
    test('forward requests to nodes', async () => {
      expect((await client.request('GET', '/api/v1/nodes/n/proxy/healthz')).text).toBe('ok')
      expect(kubelet.requests.at(-1)).toMatchObject({
        client: 'apiserver',
        headers: { 'x-forwarded-uri': '/api/v1/nodes/n/proxy/healthz' },
      })
      const page = await client.request('GET', `/api/v1/nodes/n:${kubelet.port}/proxy/logs/`)
      expect(page.text).toBe(`<pre><a href="/api/v1/nodes/n:${kubelet.port}/proxy/logs/x">x</a></pre>`)
      const root = await client.request('GET', '/api/v1/nodes/n/proxy?a=b')
      expect([root.status, root.headers.location]).toEqual([301, '/api/v1/nodes/n/proxy/?a=b'])
      expect((await client.request('GET', '/api/v1/nodes/elsewhere/proxy/healthz')).parseJson()).toMatchObject({
        code: 400,
        message: 'address not allowed',
      })
      expect((await client.request('GET', '/api/v1/nodes/ftp:n:1/proxy/')).parseJson()).toMatchObject({
        message: 'invalid node request "ftp:n:1"',
      })
    })

    test('forward any method, body and query to pods and services', async () => {
      await makePod('web', { nodeName: 'n' }, { podIP: address, podIPs: [{ ip: address }] })
      const echo = await client.request('POST', `${pods}/https:web:/proxy/echo?x=%20y`, { body: 'hello' })
      expect([echo.status, echo.text, echo.headers['x-seen']]).toEqual([201, 'hello', 'POST'])
      expect(kubelet.requests.at(-1)).toMatchObject({ url: '/echo?x=%20y', client: undefined })
      expect(kubelet.requests.at(-1)!.headers).not.toHaveProperty('authorization')

      const services = '/api/v1/namespaces/default/services'
      const ports = [{ name: 'https', port: 443, targetPort: kubelet.port }]
      await client.request('POST', services, { body: { metadata: { name: 's' }, spec: { ports } } })
      const deleteThroughProxy = (id: string) => client.request('DELETE', `${services}/${id}/proxy/echo`)
      expect((await deleteThroughProxy('https:s:443')).parseJson()).toMatchObject({ code: 404, message: 'services "s" not found' })
      const createSubset = (ip: string, name: string) => ({
        addresses: [{ ip, targetRef: { kind: 'Pod', namespace: 'default', name } }],
        ports: [{ name: 'https', port: kubelet.port }],
      })
      const endpoints = { metadata: { name: 's' }, subsets: [createSubset('10.9.9.9', 'web')] }
      await client.request('POST', '/api/v1/namespaces/default/endpoints', { body: endpoints })
      expect((await deleteThroughProxy('https:s:https')).parseJson()).toMatchObject({
        code: 503,
        message: 'no endpoints available for service "https:s:https"',
      })
      await client.request('PUT', '/api/v1/namespaces/default/endpoints/s', {
        body: { ...endpoints, subsets: [createSubset(address!, 'web')] },
      })
      expect((await deleteThroughProxy('https:s:443')).status).toBe(201)
      expect((await deleteThroughProxy('https:s:https')).status).toBe(201)
      expect((await deleteThroughProxy('s:80')).parseJson()).toMatchObject({
        code: 503,
        message: 'no service port 80 found for service "s"',
      })
    })

    test('reject other targets', async () => {
      await makePod('inward', { nodeName: 'n' }, { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] })
      expect((await client.request('GET', `${pods}/inward:80/proxy/`)).parseJson()).toMatchObject({
        code: 400,
        message: 'address not allowed',
      })
      const closed = await client.request('GET', `${pods}/web:1/proxy/`)
      expect(closed.parseJson()).toMatchObject({
        code: 503,
        message: `error trying to reach service: dial tcp ${address}:1: connect: connection refused`,
      })
    })
  })

  test.skipIf(address === undefined)('a connection that the client has half closed still receives the response', async () => {
    const { socket, head } = await client.upgrade('/api/v1/nodes/n/proxy/tell', { Connection: 'Upgrade', Upgrade: 'tell' })
    expect(head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tell\r\n/)
    socket.end('everything')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toBe('heard everything')
  })

  test('rejects an upgrade over HTTP/2', async () => {
    const session = http2.connect(server.url, { rejectUnauthorized: false })
    const stream = session.request({
      ':method': 'POST',
      ':path': `${pods}/p/exec?command=true&stdout=1`,
      authorization: `Bearer ${server.token}`,
    })
    stream.end()
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    session.close()
    expect(JSON.parse(text)).toMatchObject({ code: 400, message: 'Upgrade request required' })
  })

  test.skipIf(kubectlBinary === undefined)('forwards WebSocket to a kubelet that supports it', async () => {
    await makeNode('modern', address ?? '127.0.0.1', { declaredFeatures: ['ExtendWebSocketsToKubelet'] })
    await makePod('apart', { nodeName: 'modern' })
    const ran = await kubectl.try(['exec', '-i', 'apart', '--', 'sh', '-c', 'cat; exit 4'], { input: 'typed\n' })
    expect([ran.code, ran.stdout]).toEqual([4, 'typed\n'])
    expect(kubelet.requests.at(-1)).toMatchObject({ method: 'GET', headers: { upgrade: 'websocket' } })
  })

  describe.skipIf(kubectlBinary === undefined).each([
    ['WebSocket', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
  ])('kubectl over %s', (_name, environment) => {
    test('exec separates stdin, stdout and stderr, and returns the exit code', async () => {
      expect(await kubectl.run(['exec', 'p', '--', 'echo', 'a b', '~*'], { environment })).toBe('a b ~*\n')
      const result = await kubectl.try(['exec', '-i', 'p', '--', 'sh', '-c', 'cat; echo wrong >&2; exit 3'], {
        input: 'typed\n',
        environment,
      })
      expect(result).toEqual({ code: 3, stdout: 'typed\n', stderr: 'wrong\ncommand terminated with exit code 3\n' })
    })

    test('exec transfers megabytes in both directions', async () => {
      const input = 'x'.repeat(79).concat('\n').repeat(50_000)
      expect(await kubectl.run(['exec', '-i', 'p', '--', 'cat'], { input, environment })).toBe(input)
    })

    test('exec returns errors of the kubelet', async () => {
      await client.request('DELETE', `${pods}/refused?gracePeriodSeconds=0`)
      await makePod('refused', { nodeName: 'n', containers: [{ name: 'refusing', image: 'busybox' }] })
      const { code, stderr } = await kubectl.try(['exec', 'refused', '--', 'true'], { environment })
      expect(code).toBe(1)
      expect(stderr).toContain('Forbidden')
    })

    test('attach transfers input and output', async () => {
      const { code, stdout } = await kubectl.try(['attach', '-i', 'p'], { input: 'to the process\n', environment })
      expect([code, stdout]).toEqual([0, 'to the process\n'])
    })

    test('cp copies files in both directions', async () => {
      const locateAt = (name: string): string => path.join(directory, name)
      const content = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join('')
      mkdirSync(locateAt('pod'), { recursive: true })
      writeFileSync(locateAt('sent'), content)
      await kubectl.run(['cp', locateAt('sent'), `p:${locateAt('pod/arrived')}`], { environment })
      expect(readFileSync(locateAt('pod/arrived'), 'utf8')).toBe(content)
      await kubectl.run(['cp', `p:${locateAt('pod/arrived')}`, locateAt('back')], { environment })
      expect(readFileSync(locateAt('back'), 'utf8')).toBe(content)
    })

    test('port-forward transfers data', async () => {
      const behind = http.createServer((_request, response) => void response.end('y'.repeat(1_000_000)))
      await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve))
      const { port } = behind.address() as AddressInfo
      const forward = kubectl.start(['port-forward', 'p', `:${port}`], environment)
      try {
        await forward.until('Forwarding from 127.0.0.1:')
        const local = /127\.0\.0\.1:(\d+)/.exec(forward.lines().join('\n'))![1]
        const texts = await Promise.all([1, 2, 3].map(async () => (await fetch(`http://127.0.0.1:${local}/`)).text()))
        expect(texts.map(({ length }) => length)).toEqual([1_000_000, 1_000_000, 1_000_000])
      } finally {
        forward.child.kill()
        behind.close()
      }
    })
  })

  test.skipIf(kubectlBinary === undefined)('kubectl run -i --rm: attaches to the new pod and deletes it afterwards', async () => {
    const overrides = '{"spec":{"nodeName":"n","tolerations":[{"operator":"Exists"}]}}'
    const running = kubectl.try(['run', 'once', '-i', '--rm', '--restart=Never', '--image=busybox', `--overrides=${overrides}`], {
      input: 'said\n',
    })
    await expect.poll(async () => (await client.request('GET', `${pods}/once`)).status, longTimeout).toBe(200)
    const createContainerStatuses = (state: object): object[] => [
      { name: 'once', ready: true, image: 'busybox', imageID: '', restartCount: 0, state },
    ]
    const report = (status: object) => client.request('PATCH', `${pods}/once/status`, { body: { status }, headers: merge })
    await report({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: createContainerStatuses({ running: {} }),
    })
    await expect.poll(() => kubelet.requests.some(({ url }) => url.startsWith('/attach/default/once/once')), longTimeout).toBe(true)
    await report({ phase: 'Succeeded', containerStatuses: createContainerStatuses({ terminated: { exitCode: 0 } }) })
    const { code, stdout } = await running
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^said\npod "once" deleted/)])
  })

  test.skipIf(kubectlBinary === undefined)(
    'kubectl logs -f receives new lines, and its end closes the connection to the kubelet',
    async () => {
      await expect.poll(() => kubelet.connections(), longTimeout).toBe(0)
      const logs = kubectl.start(['logs', '-f', '--tail=0', 'p'])
      await expect.poll(() => kubelet.connections(), longTimeout).toBe(1)
      kubelet.log('first of many')
      await logs.until('first of many')
      kubelet.log('second of many')
      await logs.until('second of many')
      logs.child.kill()
      await expect.poll(() => kubelet.connections(), longTimeout).toBe(0)
    },
  )

  test('the server ends a process when its client disconnects', async () => {
    await expect.poll(() => kubelet.connections(), longTimeout).toBe(0)
    const { socket } = await upgrade(`${pods}/p/exec?command=sleep&command=1000&stdout=1`, 'v4.channel.k8s.io')
    expect(kubelet.connections()).toBe(1)
    socket.destroy()
    await expect.poll(() => kubelet.connections(), longTimeout).toBe(0)
  })

  test.each([
    ['binary.k8s.io', (bytes: Buffer) => bytes.toString()],
    ['base64.binary.k8s.io', (bytes: Buffer) => Buffer.from(bytes.toString(), 'base64').toString()],
  ])('the server sends logs as WebSocket messages: %s', async (protocol, decode) => {
    kubelet.log('the last')
    const { socket, head } = await upgrade(`${pods}/p/log?tailLines=1`, protocol)
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 101 [^]*\r\nsec-websocket-protocol: ${protocol}\r\n`, 'i'))
    const messages: string[] = []
    const reader = new WebSocketFrameReader(
      { onMessage: (_opcode, piece) => messages.push(decode(piece)), onControl: () => socket.end() },
      { masked: false },
    )
    reader.push(Buffer.from(head.slice(head.indexOf('\r\n\r\n') + 4), 'latin1'))
    for await (const chunk of socket) reader.push(chunk as Buffer)
    expect(messages.join('')).toBe('the last\n')
    expect((await upgrade(`${pods}/p/log`, 'unknown')).head).toMatch(/^HTTP\/1\.1 403 /)
  })

  function upgrade(url: string, protocol: string): Promise<{ readonly socket: Socket; readonly head: string }> {
    return client.upgrade(url, {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Protocol': protocol,
    })
  }

  test('the server ends running processes when it stops', async () => {
    const { socket, head } = await upgrade(`${pods}/p/exec?command=sleep&command=1000&stdout=1`, 'v5.channel.k8s.io')
    expect(head).toContain('HTTP/1.1 101 Switching Protocols')
    const ended = new Promise((resolve) => socket.once('close', resolve))
    socket.resume()
    const logs = log('follow=true')
    await expect.poll(() => kubelet.connections(), longTimeout).toBe(2)
    const stopping = server.stop()
    await ended
    expect((await logs).status).toBe(200)
    expect(await stopping).toBe(0)
    await expect.poll(() => kubelet.connections(), longTimeout).toBe(0)
  })
})
