import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { readProject } from '../definitions/read-definitions.ts'
import type { RealDefinition } from '../definitions/read-definitions.ts'
import { projects } from '../definitions/projects.ts'
import { HttpsClient } from '../https-client.ts'
import { writeKubeconfig } from '../write-kubeconfig.ts'

/** An object as JSON. Fields that scenarios read have types. */
export interface Stored {
  readonly metadata: {
    readonly name: string
    readonly generation?: number
    readonly resourceVersion: string
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
    readonly observedGeneration?: number
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const patienceMs = 60_000

/** The server that an operator works on, with requests for its scenario. Failed requests and conditions that are not met in time throw. */
export class Cluster implements AsyncDisposable {
  readonly kubeconfig: string
  /** Namespace for the objects of the scenario. It has a new name each time, because a server without controllers does not remove it. */
  readonly namespace: string = `operators-${randomBytes(3).toString('hex')}`
  /** Directory for files of the scenario. It is removed at the end. */
  readonly directory: string
  readonly #client: HttpsClient

  private constructor(directory: string, client: HttpsClient) {
    this.directory = directory
    this.kubeconfig = path.join(directory, 'kubeconfig')
    this.#client = client
  }

  static async open({ url, token }: { readonly url: string; readonly token: string }): Promise<Cluster> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-operators-'))
    const cluster = new Cluster(directory, new HttpsClient(url, token))
    await writeKubeconfig(cluster.kubeconfig, { url, token })
    return cluster
  }

  async request(method: string, at: string, body?: unknown, type: string = 'application/json'): Promise<Stored> {
    const answer = await this.#client.request(method, at, { ...(body !== undefined && { body, headers: { 'content-type': type } }) })
    if (answer.status >= 300) throw new Error(`${method} ${at}: ${answer.status} ${answer.text.slice(0, 1000)}`)
    return answer.parseJson<Stored>()
  }

  get(at: string): Promise<Stored> {
    return this.request('GET', at)
  }

  create(collection: string, object: object): Promise<Stored> {
    return this.request('POST', collection, object)
  }

  merge(at: string, patch: object): Promise<Stored> {
    return this.request('PATCH', at, patch, 'application/merge-patch+json')
  }

  async exists(at: string): Promise<boolean> {
    return (await this.#client.request('GET', at)).status !== 404
  }

  /** Polls an object until it satisfies a condition. */
  async until(at: string, isDone: (object: Stored) => boolean): Promise<Stored> {
    let lastState = 'nothing'
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(100)) {
      const answer = await this.#client.request('GET', at)
      lastState = answer.text
      if (answer.status === 200 && isDone(answer.parseJson<Stored>())) return answer.parseJson<Stored>()
    }
    throw new Error(`${at} did not reach the expected state within ${patienceMs / 1000} s: ${lastState.slice(0, 2000)}`)
  }

  untilTrue(at: string, condition: string): Promise<Stored> {
    return this.until(at, ({ status }) => status?.conditions?.some(({ type, status }) => type === condition && status === 'True') ?? false)
  }

  /** Repeats a request until it is refused with a message. The messages of other refusals are part of the error. */
  async untilDenied(send: () => Promise<unknown>, message: RegExp): Promise<void> {
    let last = 'the request succeeds'
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(100)) {
      last = await send().then(() => 'the request succeeds', String)
      if (message.test(last)) return
    }
    throw new Error(`not denied within ${patienceMs / 1000} s: ${last.slice(0, 2000)}`)
  }

  async untilGone(at: string): Promise<void> {
    for (const deadline = Date.now() + patienceMs; await this.exists(at); await wait(100))
      if (Date.now() > deadline) throw new Error(`${at} was not removed within ${patienceMs / 1000} s`)
  }

  /** Creates a definition and waits until its objects can be listed. */
  async define(definition: object | string): Promise<void> {
    const { metadata } = await this.request('POST', definitionsPath, definition)
    const { spec } = await this.untilTrue(`${definitionsPath}/${metadata.name}`, 'Established')
    const { group, names, versions } = spec as { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] }
    for (const { name } of versions.filter(({ served }) => served)) await this.until(`/apis/${group}/${name}/${names.plural}`, () => true)
  }

  /** Creates all definitions of a project in `projects`. */
  async defineProject(module: string): Promise<void> {
    for (const { json } of await this.#readProject(module)) await this.define(json)
  }

  /** Removes the definitions of a project with their objects. */
  async undefineProject(module: string): Promise<void> {
    await this.undefine((await this.#readProject(module)).map(({ name }) => name))
  }

  #readProject(module: string): Promise<RealDefinition[]> {
    const project = projects.find((one) => one.module.startsWith(`${module}@`))
    if (project === undefined) throw new Error(`no project has the Go module ${module}`)
    return readProject(project)
  }

  /** Removes definitions with their objects, whose finalizers are removed first. */
  async undefine(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#client.request('DELETE', `${definitionsPath}/${name}`)
    for (const name of names) await this.untilGone(`${definitionsPath}/${name}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client[Symbol.dispose]()
    await rm(this.directory, { recursive: true, force: true })
  }
}
