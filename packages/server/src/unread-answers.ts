import { constants } from 'node:http2'
import type { Outgoing, UnreadAnswers } from '@keelson/exchange'
import { LinkedList } from '@keelson/apimachinery'
import type { ListNode } from '@keelson/apimachinery'

interface Answer {
  readonly outgoing: Outgoing
  readonly bytes: number
}

interface Reader {
  readonly answers: LinkedList<Answer>
  bytes: number
}

/**
 * Limits the total size of responses that clients have not read yet. Above `maxBytes`, aborts the oldest responses of the user with the
 * most unread bytes. Slow readers among the other users are not affected.
 */
export function createUnreadAnswers(maxBytes: number): UnreadAnswers {
  const readers = new Map<string, Reader>()
  let total = 0

  function remove(user: string, reader: Reader, node: ListNode<Answer>): void {
    if (!node.isLinked) return
    reader.answers.remove(node)
    reader.bytes -= node.value.bytes
    total -= node.value.bytes
    if (reader.answers.first === undefined) readers.delete(user)
  }

  function abortOldest(): void {
    let largestReader: [string, Reader] | undefined
    for (const entry of readers) if (largestReader === undefined || entry[1].bytes > largestReader[1].bytes) largestReader = entry
    if (largestReader === undefined) return
    const [user, reader] = largestReader
    const oldest = reader.answers.first!
    remove(user, reader, oldest)
    abort(oldest.value.outgoing)
  }

  return {
    add: (user, outgoing, bytes) => {
      let reader = readers.get(user)
      if (reader === undefined) readers.set(user, (reader = { answers: new LinkedList(), bytes: 0 }))
      const currentReader = reader
      const node = currentReader.answers.add({ outgoing, bytes })
      currentReader.bytes += bytes
      total += bytes
      while (total > maxBytes) abortOldest()
      return () => remove(user, currentReader, node)
    },
  }
}

/** Aborts a response. HTTP/2 streams are closed with an error code, because some clients treat a stream without one as complete. */
function abort(outgoing: Outgoing): void {
  if ('stream' in outgoing) outgoing.stream.close(constants.NGHTTP2_CANCEL)
  else outgoing.destroy()
}
