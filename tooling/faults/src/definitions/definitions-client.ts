import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { setTimeout as wait } from 'node:timers/promises'
import { HostileClient } from '../http/hostile-client.ts'
import { judgeAnswer } from '../http/judge-answer.ts'
import type { ReceivedAnswer } from '../http/judge-answer.ts'
import { formatDefinitionName, group, formatPlural, createWidgetDefinition } from './widget-definition.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const patienceMs = 60_000

export interface Attempt {
  readonly status: number
  /** Description of an invalid response. Undefined if the response is a success or a valid error. */
  readonly problem: string | undefined
}

/** Sends requests for definitions and their objects to a server. */
export class DefinitionsClient implements Disposable {
  readonly #client: HostileClient

  constructor(port: number, token: string) {
    this.#client = new HostileClient(port, token)
  }

  collectionPath(plural: string, version: string = 'v1'): string {
    return `/apis/${group}/${version}/namespaces/default/${plural}`
  }

  objectPath(plural: string, name: string, version: string = 'v1'): string {
    return `${this.collectionPath(plural, version)}/${name}`
  }

  get(path: string): Promise<ReceivedAnswer> {
    return this.#send('GET', path)
  }

  /** Creates a definition, and by default waits until its objects are served. Throws if it is refused. */
  async define(definition: JsonObject, options: { readonly wait: boolean } = { wait: true }): Promise<void> {
    const { status, body } = await this.#send('POST', definitions, definition)
    if (status !== 201) throw new Error(`a definition was refused: ${status} ${body.slice(0, 500)}`)
    const { names } = definition['spec'] as { names: { plural: string } }
    if (options.wait) await this.#untilStatus(this.collectionPath(names.plural), 200)
  }

  /** Creates a definition that the server may refuse. If it is accepted, waits until its objects are served. */
  async tryToDefine(name: string, spec: JsonObject | string): Promise<Attempt> {
    const body = JSON.stringify(createWidgetDefinition(name, { [placeholder]: 0 })).replace(`{"${placeholder}":0}`, () => toText(spec))
    const answer = await this.#send('POST', definitions, body)
    if (answer.status === 201) await this.waitUntilServed(name)
    return judge(answer)
  }

  async create(kindName: string, name: string, spec: JsonObject): Promise<void> {
    const { status, problem } = await this.tryToCreate(kindName, name, spec)
    if (status !== 201) throw new Error(`${kindName} ${name} was refused: ${status} ${problem ?? ''}`)
  }

  async tryToCreate(kindName: string, name: string, spec: JsonValue): Promise<Attempt> {
    const start = JSON.stringify({ apiVersion: `${group}/v1`, kind: `K${kindName}`, metadata: { name } }).slice(0, -1)
    return judge(await this.#send('POST', this.collectionPath(formatPlural(kindName)), `${start},"spec":${toText(spec)}}`))
  }

  /** Reads a definition and replaces it. Tries again after a conflict with a controller. */
  async change(name: string, adapt: (definition: JsonObject) => JsonObject): Promise<void> {
    const path = `${definitions}/${formatDefinitionName(name)}`
    for (;;) {
      const { body } = await this.#send('GET', path)
      const { status, body: text } = await this.#send('PUT', path, adapt(JSON.parse(body) as JsonObject))
      if (status === 200) return
      if (status !== 409) throw new Error(`changing ${name} returned ${status}: ${text.slice(0, 500)}`)
    }
  }

  async remove(name: string, options: { readonly wait: boolean } = { wait: true }): Promise<void> {
    const { status, body } = await this.#send('DELETE', `${definitions}/${formatDefinitionName(name)}`)
    if (status !== 200) throw new Error(`removing ${name} returned ${status}: ${body.slice(0, 500)}`)
    if (options.wait) await this.waitUntilRemoved(name)
  }

  waitUntilRemoved(name: string): Promise<void> {
    return this.#untilStatus(`${definitions}/${formatDefinitionName(name)}`, 404)
  }

  waitUntilServed(name: string): Promise<void> {
    return this.#untilStatus(this.collectionPath(formatPlural(name)), 200)
  }

  async #untilStatus(path: string, status: number): Promise<void> {
    for (const deadline = Date.now() + patienceMs; (await this.#send('GET', path)).status !== status; await wait(10))
      if (Date.now() > deadline) throw new Error(`${path} did not return ${status} within a minute`)
  }

  async #send(method: string, path: string, body?: JsonObject | string): Promise<ReceivedAnswer> {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const request = { method, path, headers, body: body === undefined ? undefined : Buffer.from(toText(body)) }
    const answer = await this.#client.send(request)
    if (answer === undefined) throw new Error(`${method} ${path}: the server closed the connection`)
    return answer
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]()
  }
}

function judge(answer: ReceivedAnswer): Attempt {
  const { status, body } = answer
  const problem = status >= 500 ? `returned ${status}: ${body.slice(0, 500)}` : judgeAnswer(answer, { method: 'POST', path: '' })
  return { status, problem }
}

/** Name of a member that stands for a schema that is inserted as text. */
const placeholder = 'inserted'

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
