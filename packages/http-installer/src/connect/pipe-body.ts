import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Readable, Transform } from 'node:stream'
import { BrokenResponseError, ClientGoneError } from '@keelson/exchange'

/** Pipes a body through transforms to the client. If one side fails, the other side is closed. */
export function pipeBody(streams: readonly [Readable, ...Transform[], ServerResponse]): Promise<void> {
  const outgoing = streams.at(-1) as ServerResponse
  return new Promise((resolve, reject) => {
    pipeline([...streams], (error) => {
      // If this server has ended the response, it is complete although the other server would send more.
      if (!error || outgoing.writableFinished) return resolve()
      outgoing.destroy()
      reject(new BrokenResponseError(new ClientGoneError()))
    })
  })
}
