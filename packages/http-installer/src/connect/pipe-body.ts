import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Readable, Transform } from 'node:stream'
import { BrokenResponseError, ClientGoneError } from '@keelson/exchange'

/** What the remote sends, through what may stand in between, to the client. When either breaks off, so does the other. */
export function pipeBody(streams: readonly [Readable, ...Transform[], ServerResponse]): Promise<void> {
  const outgoing = streams.at(-1) as ServerResponse
  return new Promise((resolve, reject) => {
    pipeline([...streams], (error) => {
      // Ended by the server itself: the answer is whole, though the remote had more to say.
      if (!error || outgoing.writableFinished) return resolve()
      outgoing.destroy()
      reject(new BrokenResponseError(new ClientGoneError()))
    })
  })
}
