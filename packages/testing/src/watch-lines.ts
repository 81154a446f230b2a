import { createApiErrorFromStatus } from '@keelson/apimachinery'
import type { KubeObject, Status } from '@keelson/apimachinery'

/** One event of a watch. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

/** Yields the events of a watch response. Throws the `ApiError` of an ERROR event. */
export async function* readWatchEvents<T extends KubeObject>(body: ReadableStream<Uint8Array>): AsyncGenerator<WatchEvent<T>, void> {
  const decoder = new TextDecoder()
  let unfinished = ''
  for await (const chunk of body) {
    const lines = (unfinished + decoder.decode(chunk, { stream: true })).split('\n')
    unfinished = lines.pop()!
    for (const line of lines) {
      const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status }
      if (event.type === 'ERROR') throw createApiErrorFromStatus(event.object)
      yield event
    }
  }
}
