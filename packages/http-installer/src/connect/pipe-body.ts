import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Readable, Transform } from 'node:stream'
import { BrokenResponseError, ClientGoneError } from '@keelson/exchange'

/** Pipes a remote's body through transforms to the client. If one end fails, the other is closed. */
export function pipeBody(streams: readonly [Readable, ...Transform[], ServerResponse]): Promise<void> {
  const outgoing = streams.at(-1) as ServerResponse
  return new Promise((resolve, reject) => {
    pipeline([...streams], (error) => {
      // The server itself ended the response, so it is complete although the remote sends more.
      if (!error || outgoing.writableFinished) return resolve()
      outgoing.destroy()
      reject(new BrokenResponseError(new ClientGoneError()))
    })
  })
}
