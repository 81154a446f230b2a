import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '@keelson/apimachinery'
import { startHostileBackend } from '../aggregation/hostile-backend.ts'
import type { HostileBackend } from '../aggregation/hostile-backend.ts'
import { formatMegabytes, MeasuredServer } from '../definitions/measured-server.ts'
import { HostileClient } from '../http/hostile-client.ts'
import type { ReceivedAnswer } from '../http/judge-answer.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const maxGrowth = 10 * 2 ** 20
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
const services = '/api/v1/namespaces/default/services'
/** Identity that clients claim. A backend must never see it. */
const forged = { 'x-remote-user': 'forged', 'x-remote-group': 'forged', 'x-remote-uid': 'forged', 'x-remote-extra-forged': 'forged' }
const patienceMs = 60_000

/**
 * Scenario with API servers behind this one that lie in discovery, send endless headers, bodies and OpenAPI documents, redirect, hang, or break
 * off. Another client reads a custom object all the time.
 */
export const hostileBackends: Scenario = {
  name: 'hostile-backends',
  about: 'aggregated servers that lie, flood, hang and redirect: clear errors, fast reads, no growth',
  rounds: 5,
  roundsPerPart: 5,
  shortRounds: 1,
  async run({ rounds, directory, note }) {
    const result = newResult()
    await using measured = await MeasuredServer.start(directory, result)
    const { server } = measured
    using client = new HostileClient(server.port, server.token)
    const attack = new Attack(measured, client)
    const used: number[] = []
    for (let round = 1; round <= rounds && server.isRunning(); round++) {
      await using backend = await startHostileBackend()
      // The first requests compile code.
      measured.judgesPercentiles = round > 1
      await measured.measurePhase('registration', () => attack.register(backend))
      await measured.measurePhase('requests', async () => {
        // The short form is too short for a percentile.
        for (let times = rounds > 1 ? 4 : 1; times > 0; times--) await attack.sendRequests(backend)
      })
      await measured.measurePhase('discovery and OpenAPI', () => attack.readDocuments())
      await measured.measurePhase('removal', () => attack.remove(backend))
      if (!server.isRunning()) return result
      result.rounds++
      if (rounds === 1) continue
      used.push(await measured.settledHeap())
      note(`round ${round}: heap ${used.map(formatMegabytes).join(', ')}`)
    }
    // The first rounds compile code and fill caches that have a bound.
    if (used.length > 2 && used.at(-1)! - used[1]! > maxGrowth)
      fail(result, `the heap grows from round to round: ${used.map(formatMegabytes).join(', ')}`)
    return result
  },
}

/** The status of a forwarded GET of a thing, by kind of backend. Undefined: the connection to the client breaks. */
const expected: Readonly<Record<string, number | undefined>> = {
  header: 503,
  hangs: 504,
  redirects: 502,
  breaks: undefined,
  body: undefined,
}

class Attack {
  readonly #measured: MeasuredServer
  readonly #client: HostileClient

  constructor(measured: MeasuredServer, client: HostileClient) {
    this.#measured = measured
    this.#client = client
  }

  async register({ kinds, port }: HostileBackend): Promise<void> {
    for (const kind of kinds) {
      const service = { metadata: { name: kind }, spec: { type: 'ExternalName', externalName: '127.0.0.1' } }
      await this.#send('POST', services, { apiVersion: 'v1', kind: 'Service', ...service })
      const group = nameGroup(kind)
      const answer = await this.#send('POST', apiServices, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 19_999,
          versionPriority: 999,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: kind, port },
        },
      })
      if (answer?.status !== 201) throw new Error(`the APIService of ${kind} was refused: ${answer?.status} ${answer?.body}`)
    }
    for (const kind of kinds) await this.#untilAvailable(kind)
  }

  /** Sends requests with a forged identity to each backend at once. */
  async sendRequests(backend: HostileBackend): Promise<void> {
    const { result } = this.#measured
    const before = this.#measured.server.readMemory()
    await Promise.all(
      backend.kinds.flatMap((kind) =>
        Array.from({ length: 5 }, async () => {
          result.operations++
          const answer = await this.#client.send({
            method: 'GET',
            path: `/apis/${nameGroup(kind)}/v1/namespaces/default/things?timeout=3s`,
            headers: forged,
            body: undefined,
          })
          if (kind in expected && answer?.status !== expected[kind])
            fail(result, `${kind}: returned ${answer?.status}: ${answer?.body.slice(0, 300)}`)
        }),
      ),
    )
    const grown = this.#measured.server.readMemory() - before
    if (grown > maxMemory) fail(result, `forwarding allocated ${formatMegabytes(grown)}`)
    if (backend.followed > 0) fail(result, 'a redirect was followed')
    if (backend.received.length === 0) fail(result, 'no backend got a request')
    for (const headers of backend.received) {
      if (/forged|Bearer/.test(JSON.stringify(headers))) fail(result, `a backend got ${JSON.stringify(headers)}`)
      if (headers['x-remote-user'] !== 'admin') fail(result, `a backend got the user ${String(headers['x-remote-user'])}`)
    }
  }

  /** Reads discovery and OpenAPI while backends lie in them. */
  async readDocuments(): Promise<void> {
    const { result } = this.#measured
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    for (const [path, accept] of [
      ['/apis', 'application/json'],
      ['/apis', aggregated],
      ['/apis/apps', 'application/json'],
      ['/apis/apps/v1', 'application/json'],
      ['/openapi/v2', 'application/json'],
      ['/openapi/v3', 'application/json'],
    ] as const) {
      result.operations++
      const answer = await this.#client.send({ method: 'GET', path, headers: { accept }, body: undefined })
      if (answer?.status !== 200) fail(result, `${path}: returned ${answer?.status}`)
      else if (answer.body.includes('Stolen') && !path.startsWith('/apis/lies') && hasStolenKind(answer.body))
        fail(result, `${path} contains what a backend claimed about apps/v1`)
    }
    const deployments = await this.#send('GET', '/apis/apps/v1/namespaces/default/deployments')
    if (deployments?.status !== 200 || !deployments.body.includes('DeploymentList'))
      fail(result, `deployments: returned ${deployments?.status}: ${deployments?.body.slice(0, 300)}`)
  }

  async remove({ kinds }: HostileBackend): Promise<void> {
    for (const kind of kinds) {
      await this.#send('DELETE', `${apiServices}/v1.${nameGroup(kind)}`)
      await this.#send('DELETE', `${services}/${kind}`)
    }
  }

  async #untilAvailable(kind: string): Promise<void> {
    const path = `${apiServices}/v1.${nameGroup(kind)}`
    for (const deadline = Date.now() + patienceMs; ; await wait(50)) {
      const answer = await this.#send('GET', path)
      if (/"type":"Available","status":"True"/.test(answer?.body ?? '')) return
      if (Date.now() > deadline) throw new Error(`${kind} is not available: ${answer?.body.slice(-500)}`)
    }
  }

  #send(method: string, path: string, body?: JsonObject): Promise<ReceivedAnswer | undefined> {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
    return this.#client.send({ method, path, headers, body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)) })
  }
}

const maxMemory = 100 * 2 ** 20

function nameGroup(kind: string): string {
  return `${kind}.hostile.example.com`
}

/** Returns whether a document has the kind that a backend invented for the resource deployments of the group apps. */
function hasStolenKind(body: string): boolean {
  return /"group":"apps"[^{}]*"kind":"Stolen"|"groupVersion":"apps\/v1".*"Stolen"/.test(body)
}
