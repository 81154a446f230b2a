import type { Readable } from 'node:stream'
import type { ConfigMap } from '@keelson/api/core/v1'
import { createApiErrorFromStatus, isApiError, newGenericServerResponse, pause } from '@keelson/apimachinery'
import type { Clock, Status } from '@keelson/apimachinery'
import { Backoff } from '@keelson/loopback'
import { findAnswerError } from '@keelson/outbound'
import type { KubeconfigClient, OutboundAnswer, StreamClient } from '@keelson/outbound'

export interface RemoteConfigMapOptions {
  readonly client: StreamClient
  /** Server and credentials. */
  readonly config: Pick<KubeconfigClient, 'url' | 'headers'>
  readonly namespace: string
  readonly name: string
  readonly timeoutMs: number
}

/** Reads a ConfigMap of another API server. Returns undefined if it does not exist. Rejects with the error of the server or the connection. */
export async function readConfigMap(options: RemoteConfigMapOptions): Promise<ConfigMap | undefined> {
  try {
    return await getJson<ConfigMap>(options, `/${options.name}`)
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined
    throw error
  }
}

export interface FollowConfigMapOptions extends RemoteConfigMapOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called with each state of the ConfigMap. It is not called for a deletion. */
  readonly onState: (configMap: ConfigMap) => void
  readonly onError: (error: unknown) => void
}

/**
 * Follows a ConfigMap of another API server with a list and a watch. Starts again with a list when the watch ends or fails. Ends when the
 * signal aborts, and never rejects.
 */
export async function followConfigMap(options: FollowConfigMapOptions): Promise<void> {
  const { clock, signal, onState, onError } = options
  const backoff = new Backoff({ first: 800, longest: 30_000 })
  while (!signal.aborted) {
    try {
      const list = await getJson<ConfigMapList>(options, `?fieldSelector=${selectName(options)}`)
      for (const item of list.items ?? []) onState(item)
      await watch(options, list.metadata?.resourceVersion ?? '')
      backoff.reset()
    } catch (error) {
      if (signal.aborted) return
      // A watch from a compacted revision starts again without a report, like a watch that ended.
      if (!isApiError(error, 'Expired') && !isApiError(error, 'Gone')) onError(error)
    }
    await pause(clock, backoff.next(), { signal })
  }
}

interface ConfigMapList {
  readonly metadata?: { readonly resourceVersion?: string }
  readonly items?: readonly ConfigMap[]
}

interface WatchEvent {
  readonly type: string
  readonly object: unknown
}

async function watch(options: FollowConfigMapOptions, resourceVersion: string): Promise<void> {
  const { client, config, signal, onState } = options
  // Like client-go, ends each watch after 5 to 10 minutes, so that clients spread over the servers of a cluster.
  const timeoutSeconds = Math.ceil(300 * (1 + Math.random()))
  const query = `?fieldSelector=${selectName(options)}&resourceVersion=${resourceVersion}&timeoutSeconds=${timeoutSeconds}&watch=true`
  const headers = Object.entries({ ...(await config.headers()), accept: 'application/json' }).flat()
  using answer = await client.stream({ method: 'GET', path: locate(options) + query, headers, signal })
  if (answer.status !== 200) {
    throw newGenericServerResponse(answer.status, 'WATCH', { group: '', resource: 'configmaps' }, options.name, {
      serverMessage: 'unknown',
      isUnexpectedResponse: true,
    })
  }
  for await (const line of readLines(answer.body, signal)) {
    const { type, object } = JSON.parse(line) as WatchEvent
    if (type === 'ERROR') throw createApiErrorFromStatus(object as Status)
    if (type === 'ADDED' || type === 'MODIFIED') onState(object as ConfigMap)
  }
}

/** Maximum length of an event in characters. A ConfigMap has at most 1 MiB of data, and escapes can make its JSON longer. */
const maxLineLength = 8 * 1024 * 1024

async function* readLines(body: Readable, signal: AbortSignal): AsyncGenerator<string> {
  body.setEncoding('utf8')
  let line = ''
  for await (const chunk of body as AsyncIterable<string>) {
    if (signal.aborted) return
    const pieces = chunk.split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield line + piece
      line = ''
    }
    line += pieces.at(-1)!
    if (line.length > maxLineLength) throw new Error(`an event of the watch is longer than ${maxLineLength} characters`)
  }
}

async function getJson<T>(options: RemoteConfigMapOptions, query: string): Promise<T> {
  const { client, config, timeoutMs } = options
  const headers = { ...(await config.headers()), accept: 'application/json' }
  const answer = await client.request({ path: locate(options) + query, headers, timeoutMs })
  const error = findAnswerError(answer)
  if (error !== undefined) throw error
  return JSON.parse((answer as OutboundAnswer & { failed: false }).body.toString('utf8')) as T
}

/** Returns the path of the ConfigMaps of the namespace. The URL of the server may have a path of its own. */
function locate({ config, namespace }: RemoteConfigMapOptions): string {
  return `${new URL(config.url).pathname.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/configmaps`
}

function selectName({ name }: RemoteConfigMapOptions): string {
  return encodeURIComponent(`metadata.name=${name}`)
}
