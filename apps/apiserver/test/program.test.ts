import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const readyLine = /^keelson is ready at (https:\/\/127\.0\.0\.1:\d+) \(kubeconfig (\S+), started in \d+ ms\)\n$/

interface Program {
  readonly child: ChildProcess
  /** Returns the output of the program so far. */
  readonly out: () => string
  readonly errors: () => string
  readonly exited: Promise<number | null>
}

const children = new Set<ChildProcess>()
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-program-'))
  await writeFile(path.join(directory, 'tokens.csv'), 'admintoken,admin,admin,"system:masters"\n')
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(directory, { recursive: true, force: true })
})

const startProgram = (...flags: string[]): Program => start({}, ...flags)

function start(environment: Readonly<Record<string, string>>, ...flags: string[]): Program {
  const child = spawn(process.execPath, [entry, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: directory,
    env: { ...process.env, ...environment },
  })
  children.add(child)
  let output = ''
  let errors = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => output, errors: () => errors, exited }
}

const startServer = (name: string, ...flags: string[]): Program =>
  startProgram(
    `--data-dir=${path.join(directory, name)}`,
    '--secure-port=0',
    '--bind-address=127.0.0.1',
    '--token-auth-file=tokens.csv',
    ...flags,
  )

async function waitUntilReady(running: Program): Promise<{ url: string; kubeconfig: string }> {
  await Promise.race([
    expect.poll(running.out, { interval: 20 }).toMatch(readyLine),
    running.exited.then((code) => {
      throw new Error(`ended with ${code}: ${running.errors()}`)
    }),
  ])
  const [, url = '', kubeconfig = ''] = readyLine.exec(running.out()) ?? []
  return { url, kubeconfig }
}

async function call(url: string, method: string, options: object = {}, body?: object): Promise<{ status: number; body: string }> {
  const clientRequest = httpsRequest(url, {
    method,
    rejectUnauthorized: false,
    agent: false,
    headers: { authorization: 'Bearer admintoken', 'content-type': 'application/json' },
    ...options,
  })
  clientRequest.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode!, body: text }
}

describe('a server', () => {
  test('a server keeps objects and certificates across a graceful stop', async () => {
    const first = startServer('kept')
    const { url, kubeconfig } = await waitUntilReady(first)
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600)
    expect(await call(`${url}/readyz`, 'GET')).toEqual({ status: 200, body: 'ok' })
    const created = await call(`${url}/api/v1/namespaces/default/configmaps`, 'POST', {}, { metadata: { name: 'a' }, data: { b: 'c' } })
    expect(created.status).toBe(201)
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(first.out()).toMatch(readyLine)
    const lines = first.errors().trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(new RegExp(String.raw`^I\d{4} \d\d:\d\d:\d\d\.\d{6} +${first.child.pid} \S+:\d+\] "`))
    expect(lines.slice(-3).map((line) => line.replace(/^.*?\] /, ''))).toEqual([
      expect.stringMatching(/^"Serving" version="v1\.36\S*" node="v[\d.]+" storage="embedded" address="127\.0\.0\.1:\d+"$/),
      '"Stopping" signal="SIGTERM"',
      expect.stringMatching(/^"Stopped" uptime="\d+s"$/),
    ])

    const authority = await readFile(path.join(directory, 'kept/certs/ca.crt'), 'utf8')
    const second = startServer('kept')
    const secondStart = await waitUntilReady(second)
    expect(await readFile(path.join(directory, 'kept/certs/ca.crt'), 'utf8')).toBe(authority)
    const read = await call(`${secondStart.url}/api/v1/namespaces/default/configmaps/a`, 'GET')
    expect(JSON.parse(read.body)).toMatchObject({ metadata: { uid: JSON.parse(created.body).metadata.uid }, data: { b: 'c' } })

    // Checks that the kubeconfig alone is sufficient to authenticate and to verify the server.
    const text = await readFile(secondStart.kubeconfig, 'utf8')
    const readData = (key: string): Buffer => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(text)?.[1] ?? '', 'base64')
    const asAdmin = {
      ca: readData('certificate-authority-data'),
      cert: readData('client-certificate-data'),
      key: readData('client-key-data'),
      rejectUnauthorized: true,
      headers: {},
    }
    expect((await call(`${secondStart.url}/api/v1/namespaces`, 'GET', asAdmin)).status).toBe(200)

    const rival = startServer('kept')
    expect(await rival.exited).toBe(1)
    expect(rival.errors()).toMatch(/^keelson: .*kept.* is in use by .*\n$/)
    second.child.kill('SIGINT')
    expect(await second.exited).toBe(0)
  })

  test.skipIf(process.platform === 'win32')('does not open the inspector, and outlives a hangup without a terminal', async () => {
    const started = startServer('signals', '--storage-backend=memory', '--controllers=none')
    const { url } = await waitUntilReady(started)
    started.child.kill('SIGUSR1')
    started.child.kill('SIGHUP')
    await expect.poll(started.errors).toContain('"Ignored a signal" signal="SIGHUP"')
    expect((await call(`${url}/readyz`, 'GET')).status).toBe(200)
    expect(started.errors()).not.toContain('Debugger')
    started.child.kill('SIGTERM')
    expect(await started.exited).toBe(0)
  })

  test('a server continues after the reader of its log has closed the pipe', async () => {
    const started = startServer('unread', '--storage-backend=memory', '--controllers=none', '-v=3')
    const { url } = await waitUntilReady(started)
    started.child.stderr!.destroy()
    started.child.stdout!.destroy()
    for (let i = 0; i < 3; i++) expect((await call(`${url}/readyz`, 'GET')).status).toBe(200)
    started.child.kill('SIGTERM')
    expect(await started.exited).toBe(0)
  })

  test('a server logs requests with their users and without secrets', async () => {
    const started = startServer('logged', '--storage-backend=memory', '--controllers=none', '-v=10', '--logging-format=json')
    const { url } = await waitUntilReady(started)
    expect((await call(`${url}/api/v1/namespaces?limit=1`, 'GET')).status).toBe(200)
    const body = { metadata: { name: 's' }, stringData: { password: 'hunter2' } }
    expect((await call(`${url}/api/v1/namespaces/default/secrets`, 'POST', {}, body)).status).toBe(201)
    started.child.kill('SIGTERM')
    expect(await started.exited).toBe(0)
    const lines = started
      .errors()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.find(({ URI }) => URI === '/api/v1/namespaces?limit=1')).toMatchObject({
      msg: 'HTTP',
      v: 3,
      ts: expect.any(Number) as unknown,
      caller: expect.any(String) as unknown,
      user: 'admin',
      latency: expect.stringMatching(/^[\d.]+(µs|ms|s)$/) as unknown,
    })
    for (const secret of ['admintoken', 'hunter2', Buffer.from('hunter2').toString('base64')])
      expect(started.errors()).not.toContain(secret)
  })

  test('a server listens only on the loopback address unless --bind-address sets another one', async () => {
    const flags = ['--secure-port=0', '--storage-backend=memory', '--controllers=none', '--token-auth-file=tokens.csv']
    const local = startProgram('--data-dir=local', ...flags)
    const open = startProgram('--data-dir=open', '--bind-address=0.0.0.0', ...flags)
    // Returns the URL with another loopback address of this machine. Only a server that listens on every interface answers there.
    const resolveOtherAddress = async (running: Program): Promise<string> =>
      (await waitUntilReady(running)).url.replace('127.0.0.1', '127.0.0.2')
    await expect(call(`${await resolveOtherAddress(local)}/readyz`, 'GET')).rejects.toThrow('127.0.0.2')
    if (process.platform === 'linux') expect((await call(`${await resolveOtherAddress(open)}/readyz`, 'GET')).status).toBe(200)
    for (const { child } of [local, open]) child.kill('SIGTERM')
    expect(await Promise.all([local.exited, open.exited])).toEqual([0, 0])
  })

  const canNotify = ['systemd-notify', 'python3'].every((command) => spawnSync(command, ['--version']).status === 0)
  test.skipIf(!canNotify)('a server notifies systemd when it is ready, alive and stopping', async () => {
    const socket = path.join(directory, 'notify')
    const listen = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("bound", flush=True)
while True: print(s.recv(4096).decode().replace("\\n", " "), flush=True)`
    const listener = spawn('python3', ['-c', listen, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.add(listener)
    let notifications = ''
    listener.stdout.on('data', (data: Buffer) => (notifications += data.toString()))
    await expect.poll(() => notifications).toBe('bound\n')
    const started = start(
      { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000' },
      '--data-dir=notified',
      '--secure-port=0',
      '--storage-backend=memory',
    )
    const { url } = await waitUntilReady(started)
    await expect.poll(() => notifications).toMatch(/WATCHDOG=1/)
    started.child.kill('SIGTERM')
    expect(await started.exited).toBe(0)
    const messages = notifications.split('\n').filter((line) => line.includes('=') && !line.startsWith('BARRIER'))
    expect(messages.filter((line) => !line.includes('WATCHDOG'))).toEqual([
      expect.stringContaining(`READY=1 STATUS=Serving at ${url}`),
      expect.stringContaining('STOPPING=1'),
    ])
    for (const message of messages) expect(message).toContain(`MAINPID=${started.child.pid}`)
    listener.kill()
  })

  test('a server runs the rules of --admission-module, and logs their errors', async () => {
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}')
    await writeFile(
      path.join(directory, 'teams.ts'),
      `interface Labelled { metadata: { labels?: Record<string, string> } }
export default {
  name: 'Teams',
  resources: {
    configmaps: {
      admit({ object }: { object: Labelled }): void {
        object.metadata.labels = { team: 'a', ...object.metadata.labels }
      },
      validate({ object, forbidden }: { object: Labelled; forbidden: (reason: string) => Error }): void {
        if (object.metadata.labels?.['team'] === 'bug') throw new TypeError('a bug in the rules')
        if (object.metadata.labels?.['team'] !== 'a') throw forbidden('only team a')
      },
    },
  },
}`,
    )
    const running = startServer('modules', '--storage-backend=memory', '--admission-module=teams.ts')
    const { url } = await waitUntilReady(running)
    const create = async (name: string, labels: object): Promise<unknown> => {
      const { body } = await call(`${url}/api/v1/namespaces/default/configmaps`, 'POST', {}, { metadata: { name, labels } })
      return JSON.parse(body) as unknown
    }
    expect(await create('a', {})).toMatchObject({ metadata: { labels: { team: 'a' } } })
    expect(await create('b', { team: 'b' })).toMatchObject({ code: 403, message: 'configmaps "b" is forbidden: only team a' })
    expect(await create('c', { team: 'bug' })).toMatchObject({
      code: 500,
      message: 'Internal error occurred: admission module "Teams" failed',
    })
    await expect
      .poll(() => running.errors())
      .toMatch(/"Admission module failed" module="Teams" err=<\n\tTypeError: a bug in the rules\n.*teams\.ts:10/)
    running.child.kill('SIGTERM')
    expect(await running.exited).toBe(0)
  })

  test('a stopping server ends an open watch without an error', async () => {
    const started = startServer('watched', '--storage-backend=memory', '--controllers=none')
    const { url } = await waitUntilReady(started)
    const watch = call(`${url}/api/v1/namespaces?watch=1&resourceVersion=0`, 'GET')
    await new Promise((resolve) => setTimeout(resolve, 100))
    started.child.kill('SIGTERM')
    const { status, body } = await watch
    expect(status).toBe(200)
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toContain('ADDED')
    expect(await started.exited).toBe(0)
  })
})

describe('reports each problem in one sentence', () => {
  test.each([
    [['--secure-prot=1'], 2, /^keelson: unknown flag --secure-prot; did you mean --secure-port\?\n$/],
    [['--secure-port=http'], 2, /^keelson: --secure-port: "http" is not a whole number from 0 to 65535\n$/],
    [['--storage-backend=mysql'], 2, /is not one of embedded, memory, etcd3/],
    [['--storage-backend=etcd3'], 2, /needs --etcd-servers/],
    [['--etcd-servers=http://127.0.0.1:1', '--etcd-keyfile=x'], 2, /must be set together/],
    [['--etcd-servers=http://127.0.0.1:1', '--storage-backend=memory'], 2, /--etcd-servers has no meaning/],
    [
      ['--etcd-servers=http://127.0.0.1:1', '--etcd-cafile=nowhere.pem'],
      1,
      /--etcd-cafile: cannot read nowhere.pem: there is no such file/,
    ],
    [
      ['--etcd-servers=http://127.0.0.1:1', '--etcd-servers-overrides=events#http://127.0.0.1:2'],
      2,
      /must be of format: group\/resource#servers/,
    ],
    [['--storage-media-type=application/json'], 2, /--storage-media-type has no meaning with --storage-backend=embedded/],
    [['--tls-cert-file=x'], 2, /must be set together/],
    [['serve'], 2, /unexpected argument "serve"/],
    [['--token-auth-file=nowhere.csv'], 1, /^keelson: --token-auth-file: cannot read nowhere.csv: there is no such file\n$/],
    [['--client-ca-file=nowhere.pem'], 1, /there is no such file/],
    [['--admission-module=nowhere.ts'], 1, /^keelson: failed to load admission module "nowhere.ts": there is no such file\n$/],
    [['--controllers=none,cats', '--storage-backend=memory', '--secure-port=0'], 2, /^keelson: --controllers: .*\n$/],
  ])('%j', async (flags, code, message) => {
    const started = startProgram(`--data-dir=${path.join(directory, 'unused')}`, '--bind-address=127.0.0.1', ...flags)
    expect(await started.exited).toBe(code)
    expect(started.errors()).toMatch(message)
    expect(started.out()).toBe('')
  })

  test('reports all problems at once, including conflicts of options and problems in files', async () => {
    await writeFile(path.join(directory, 'flags.yaml'), 'secure-port: http\ncoordinated-leadership-retry-period: 2s\n')
    const started = startProgram(
      '--config=flags.yaml',
      '--log-level=2',
      '--tls-cert-file=nowhere.crt',
      '--feature-gates=Unheard=true,Unseen=true',
      '--enable-admission-plugins=Nothing',
      '--runtime-config=example.com/v1=true',
      '--service-cluster-ip-range=10.0.0.0/40',
      '--tls-cipher-suites=ROT13',
    )
    expect(await started.exited).toBe(2)
    const lines = started.errors().trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^keelson: /)
    for (const part of [
      'flags.yaml: --secure-port: "http" is not',
      'flags.yaml: --coordinated-leadership-retry-period is a flag of kube-apiserver',
      'unknown flag --log-level; did you mean -v?',
      '--tls-cert-file and --tls-private-key-file must be set together',
      '--tls-cert-file: cannot read nowhere.crt',
      'unrecognized feature gate: Unheard',
      'unrecognized feature gate: Unseen',
      'plugin "Nothing" is unknown',
      'unknown api groups example.com/v1',
      '10.0.0.0/40',
      'Cipher suite ROT13',
    ]) {
      expect(
        lines.filter((line) => line.includes(part)),
        part,
      ).toHaveLength(1)
    }
    expect(lines).toHaveLength(11)
  })

  test('reports that the port is in use', async () => {
    const occupier = createServer().listen(0, '127.0.0.1')
    await once(occupier, 'listening')
    const { port } = occupier.address() as AddressInfo
    const started = startServer('port', `--secure-port=${port}`)
    expect(await started.exited).toBe(1)
    expect(started.errors()).toMatch(new RegExp(`^keelson: 127.0.0.1:${port} is in use by another program.*\\n$`, 'm'))
    occupier.close()
  })

  test.runIf(existsSync('/proc/self')).each(['embedded', 'memory'])(
    'a data directory that cannot be made, with storage %s',
    async (storage) => {
      const { errors, exited } = startProgram('--data-dir=/proc/keelson', `--storage-backend=${storage}`, '--secure-port=0')
      expect(await exited).toBe(1)
      expect(errors()).toMatch(/^keelson: the data directory \/proc\/keelson cannot be used: ENOENT: .*\n$/)
    },
  )

  test.runIf(existsSync('/proc/self'))('reports that the directory for certificates cannot be created', async () => {
    const { errors, exited } = startServer('certificates', '--cert-dir=/proc/keelson', '--storage-backend=memory')
    expect(await exited).toBe(1)
    expect(errors()).toMatch(/^keelson: --cert-dir \/proc\/keelson cannot be used: ENOENT: .*\n$/)
  })

  test('reports a directory at the path of admin.kubeconfig', async () => {
    await mkdir(path.join(directory, 'misplaced/admin.kubeconfig/x'), { recursive: true })
    const { errors, exited } = startServer('misplaced', '--storage-backend=memory')
    expect(await exited).toBe(1)
    expect(errors()).toMatch(/keelson: the data directory \S*misplaced cannot be used: E[A-Z]+: .*admin\.kubeconfig.*\n$/)
    expect(errors()).not.toContain('    at ')
  })

  test('reports an invalid token file, with the line number', async () => {
    await writeFile(path.join(directory, 'broken.csv'), 'a,b,c\nd,e\n')
    const started = startServer('tokens', '--token-auth-file=broken.csv', '--storage-backend=memory')
    expect(await started.exited).toBe(1)
    expect(started.errors()).toContain('broken.csv:2: expected at least 3 columns')
  })
})

test.each([
  ['--version', /^Kubernetes v1\.36\.\d+\S*\n$/],
  ['version', /^Kubernetes v1\.36\.\d+\S*\n$/],
  ['--version=raw', /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36.*Platform:".*"\}\n$/],
])('%s', async (argument, text) => {
  const version = startProgram(argument)
  expect(await version.exited).toBe(0)
  expect(version.out()).toMatch(text)
})

test('--help lists every flag in its group', async () => {
  const help = startProgram('--help')
  expect(await help.exited).toBe(0)
  for (const part of ['Secure serving:', '--secure-port int', '(default 6443)', '--token-auth-file']) expect(help.out()).toContain(part)
})

describe('a server in memory', () => {
  const startInMemory = (...flags: string[]): Program =>
    startProgram('--storage-backend=memory', '--secure-port=0', '--token-auth-file=tokens.csv', ...flags)

  test('a server in memory keeps its certificates in memory unless a flag sets a directory', async () => {
    const started = startInMemory()
    const { kubeconfig } = await waitUntilReady(started)
    expect(kubeconfig).toBe(path.join(directory, '.keelson/admin.kubeconfig'))
    expect(existsSync(path.join(directory, '.keelson/certs'))).toBe(false)
    started.child.kill('SIGTERM')
    await started.exited
    await rm(path.join(directory, '.keelson'), { recursive: true })
    const withDataDir = startInMemory('--data-dir=named')
    await waitUntilReady(withDataDir)
    expect(existsSync(path.join(directory, 'named/certs'))).toBe(true)
    withDataDir.child.kill('SIGTERM')
    await withDataDir.exited
  })

  test('a server in memory starts without a writable directory', async () => {
    // Creates a file at the path of the directory, so that no user, not even root, can write into the directory.
    await writeFile(path.join(directory, '.keelson'), '')
    const started = startInMemory()
    await expect.poll(started.out, { interval: 20 }).toContain('(kubeconfig not written, started in ')
    expect(started.errors()).toContain('The kubeconfig cannot be written; choose another --data-dir')
    started.child.kill('SIGTERM')
    expect(await started.exited).toBe(0)
    await rm(path.join(directory, '.keelson'))
  })
})
