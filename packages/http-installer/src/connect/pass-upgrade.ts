import type { ClientRequest, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import { newUnknownError } from '@keelson/apimachinery'
import type { Remote } from '@keelson/registry'
import { ClientGoneError } from '@keelson/exchange'
import type { Exchange, Upgrade } from '@keelson/exchange'
import { selectForwardedHeaders, toHeaderObject, listPairs, without, withoutHopByHop } from './forwarded-headers.ts'
import type { HeaderList } from './forwarded-headers.ts'
import type { UpgradePassage } from './passage.ts'
import { formatRemoteError, requestRemote } from './remote-request.ts'
import { spliceSockets } from './splice-sockets.ts'

/** Response of another server to an upgrade request: it has either changed the protocol or refused. */
export type UpgradeAnswer =
  | { readonly upgraded: true; readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }
  | { readonly upgraded: false; readonly message: IncomingMessage }

/** Forwards an upgrade request, and then copies bytes in both directions. */
export async function passUpgrade(passage: UpgradePassage, remote: Remote): Promise<void> {
  const { exchange } = passage
  const { incoming } = exchange.createNodeStreams()
  const headers = selectForwardedHeaders(incoming)
  await forwardUpgradeAnswer(passage, await askForUpgrade(remote, { method: exchange.method, headers, signal: exchange.signal }))
}

/** Sends the response of the other server to the client. If the protocol has changed, copies bytes in both directions until both ends close. */
export async function forwardUpgradeAnswer({ exchange, upgrade, stopping }: UpgradePassage, answer: UpgradeAnswer): Promise<void> {
  if (!answer.upgraded) return passRefusal(exchange, answer.message)
  const socket = takeSocket(exchange, upgrade, listPairs(answer.message.rawHeaders))
  await spliceSockets({ socket, head: upgrade.head }, { socket: answer.socket, head: answer.head }, stopping)
}

export interface UpgradeRequest {
  readonly method: string
  readonly headers: HeaderList
  readonly signal: AbortSignal
}

/**
 * Sends an upgrade request to another server. Throws an ApiError if the server does not respond. `signal` can abort the request until there
 * is a response.
 */
export function askForUpgrade(remote: Remote, { method, headers, signal }: UpgradeRequest): Promise<UpgradeAnswer> {
  const request = requestRemote(remote, { method, headers: listUpgradeHeaders(method, headers) })
  return sendUpgrade(request, {
    signal,
    createError: (error) => newUnknownError(`error dialing backend: ${formatRemoteError(error)}`),
  })
}

/** Returns the headers of an upgrade request, which has no body, as alternating names and values. */
export function listUpgradeHeaders(method: string, headers: HeaderList): string[] {
  const bodyless = without(headers, 'content-length', 'transfer-encoding').flat()
  return method === 'GET' ? bodyless : [...bodyless, 'Content-Length', '0']
}

export interface SendUpgradeOptions {
  readonly signal: AbortSignal
  /** Creates the error for a request that failed. */
  readonly createError: (error: unknown) => Error
}

/** Sends a prepared upgrade request on its own connection, and waits for the response like `askForUpgrade`. */
export function sendUpgrade(request: ClientRequest, { signal, createError }: SendUpgradeOptions): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void request.destroy(new ClientGoneError())
    const stopListening = (): void => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    request.once('upgrade', (message, socket, head) => {
      stopListening()
      // After the upgrade, Node removes its own error handler of the socket.
      socket.on('error', () => socket.destroy())
      resolve({ upgraded: true, message, socket, head })
    })
    request.once('response', (message) => {
      stopListening()
      resolve({ upgraded: false, message })
    })
    request.on('error', (error) => {
      stopListening()
      reject(error instanceof ClientGoneError ? error : createError(error))
    })
    request.end()
  })
}

/** Sends the refusal of the other server to the client. */
export async function passRefusal(exchange: Exchange, message: IncomingMessage): Promise<void> {
  const code = message.statusCode ?? 0
  if (code < 400) {
    message.destroy()
    throw newUnknownError(`invalid upgrade response: status code ${code}`)
  }
  const { outgoing } = exchange.createNodeStreams()
  exchange.audit?.respond(code)
  outgoing.writeHead(code, toHeaderObject([...listPairs(exchange.commonHeaders), ...withoutHopByHop(listPairs(message.rawHeaders))]))
  await new Promise<void>((resolve) => {
    pipeline(message, outgoing, (error) => {
      if (error) outgoing.destroy()
      resolve()
    })
  })
}

/** Sends 101 and returns the socket, which HTTP no longer uses. The caller must close the socket. */
export function takeSocket(exchange: Exchange, { socket }: Upgrade, headers: HeaderList): Duplex {
  const { outgoing } = exchange.createNodeStreams()
  outgoing.sendDate = false
  exchange.audit?.respond(101)
  outgoing.writeHead(101, toHeaderObject(headers))
  outgoing.flushHeaders()
  outgoing.detachSocket(socket as never)
  return socket
}
