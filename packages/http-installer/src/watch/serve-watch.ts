import { isApiError } from '@keelson/apimachinery'
import type { ApiError } from '@keelson/apimachinery'
import type { Watchable } from '@keelson/registry'
import type { ObjectWatch } from '@keelson/storagebackend'
import type { ListRequestOptions } from '../handlers/list-options.ts'
import { cborStream, mediaTypes, negotiateStream } from '../negotiation/negotiate.ts'
import type { NegotiatedStream } from '../negotiation/negotiate.ts'
import { parseIncludeObject } from '../handlers/read-request.ts'
import { WatchListSteps } from '../handlers/request-step.ts'
import type { WatchRecorder } from '../install-options.ts'
import { sendStream } from '@keelson/exchange'
import type { ResponseSink } from '@keelson/exchange'
import type { ApiRequest } from '../routing/served-resource.ts'
import type { SurfaceSettings } from '../settings.ts'
import { createFramer, encodeErrorFrame } from './event-frames.ts'
import { pumpWatch } from './pump-watch.ts'
import { sendWebSocket, watchMessages, findWebSocketUpgrade } from './watch-websocket.ts'

/**
 * Sends the events of a watch until the watch expires, the client disconnects or the server stops. Events are taken from the storage only
 * when the socket accepts them. So a client that does not read delays only itself, until the storage ends its watch.
 */
export async function serveWatch(request: ApiRequest, storage: Watchable, options: ListRequestOptions): Promise<void> {
  const { exchange, served, query } = request
  const { settings } = served
  const seconds =
    options.timeoutSeconds > 0 ? options.timeoutSeconds : Math.ceil(settings.minRequestTimeoutSeconds * (1 + settings.random()))
  const { group, version } = served.gvk
  const metrics = settings.observeWatch({ group, version, resource: served.resource }, exchange)
  const isWatchList = options.sendInitialEvents === true && options.allowWatchBookmarks
  const steps = exchange.span !== undefined && isWatchList ? new WatchListSteps(exchange, exchange.span) : undefined
  const recorder: WatchRecorder = steps === undefined ? metrics : recordSteps(metrics, steps)
  const life = new WatchLife(settings, seconds * 1000)
  // A client may disconnect before the first event, or even before the watch is open.
  const onDisconnect = (): void => life.end()
  exchange.outgoing.once('close', onDisconnect)
  exchange.signal.addEventListener('abort', onDisconnect, { once: true })
  try {
    const openedWatch = await open(request, storage, options, settings.now() + seconds * 1000, life.signal)
    // Negotiates after opening the watch, because errors of the watch take precedence over errors of its encoding.
    const negotiated = negotiateStream(exchange, served.endpoint)
    const { form } = negotiated
    steps?.startResponse({ mediaType: streamType(form), encoder: form })
    const include = negotiated.transform?.kind === 'Table' ? parseIncludeObject(query) : 'Metadata'
    const framer = createFramer(served, negotiated, { include, cbor: exchange.services.cbor })
    const produce = async (sink: ResponseSink): Promise<void> => {
      sink.onClose(onDisconnect)
      try {
        if ('error' in openedWatch) sink.write(encodeErrorFrame(openedWatch.error.status, negotiated, exchange.services.cbor))
        else
          await pumpWatch(
            {
              sink,
              framer,
              encodeFailure: (status) => encodeErrorFrame(status, negotiated, exchange.services.cbor),
              signal: life.signal,
              recorder,
              onInternalError: settings.onInternalError,
            },
            openedWatch.watch,
          )
      } finally {
        life.end()
      }
    }
    const upgrade = findWebSocketUpgrade(exchange)
    if (upgrade !== undefined) return await sendWebSocket(exchange, upgrade, watchMessages[form], produce)
    return await sendStream(exchange, 200, { 'content-type': streamType(form) }, produce)
  } catch (error) {
    life.end()
    throw error
  } finally {
    steps?.close()
    exchange.signal.removeEventListener('abort', onDisconnect)
    exchange.outgoing.off('close', onDisconnect)
  }
}

/** Returns a recorder that also ends the steps of the watch when its initial events are sent. */
function recordSteps(metrics: WatchRecorder, steps: WatchListSteps): WatchRecorder {
  return {
    sent: (events, bytes) => metrics.sent(events, bytes),
    sentInitialEvents() {
      metrics.sentInitialEvents()
      steps.finish()
    },
  }
}

function streamType(form: NegotiatedStream['form']): string {
  if (form === 'cbor') return cborStream
  return form === 'json' ? mediaTypes.json : `${mediaTypes[form]};stream=watch`
}

/** Opens the watch of the storage. If its resourceVersion is too old, the watch sends that as an error event. */
async function open(
  { exchange }: ApiRequest,
  storage: Watchable,
  options: ListRequestOptions,
  deadline: number,
  signal: AbortSignal,
): Promise<{ readonly watch: ObjectWatch } | { readonly error: ApiError }> {
  const { predicate, resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks: allowBookmarks } = options
  try {
    return {
      watch: await storage.watch(
        exchange,
        { predicate, resourceVersion, resourceVersionMatch, allowBookmarks, sendInitialEvents, deadline },
        signal,
      ),
    }
  } catch (error) {
    if (isApiError(error) && error.code === 410) return { error }
    throw error
  }
}

/** Lifetime of a watch. It ends after its timeout, when the server stops, or when `end` is called. */
class WatchLife {
  readonly #controller = new AbortController()
  readonly #settings: Pick<SurfaceSettings, 'stopping' | 'delayWatchEnd'>
  #timer: NodeJS.Timeout
  readonly #onTimeout = (): void => this.end()
  readonly #onStop = (): void => {
    const milliseconds = this.#settings.delayWatchEnd()
    if (milliseconds === 0) return this.end()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onTimeout, milliseconds)
  }

  constructor(settings: Pick<SurfaceSettings, 'stopping' | 'delayWatchEnd'>, milliseconds: number) {
    this.#settings = settings
    this.#timer = setTimeout(this.#onTimeout, Math.min(milliseconds, 2 ** 31 - 1))
    if (settings.stopping.aborted) this.end()
    else settings.stopping.addEventListener('abort', this.#onStop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#settings.stopping.removeEventListener('abort', this.#onStop)
    this.#controller.abort()
  }
}
