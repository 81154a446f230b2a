import { isApiError, newInternal } from '@keelson/apimachinery'
import type { Status } from '@keelson/apimachinery'
import type { ObjectEvent, ObjectWatch } from '@keelson/storagebackend'
import type { ResponseSink } from '@keelson/exchange'
import type { WatchRecorder } from '../install-options.ts'
import { countChunkPayload } from './event-frames.ts'
import type { EventFramer } from './event-frames.ts'

export interface WatchPump {
  readonly sink: ResponseSink
  readonly framer: EventFramer
  readonly encodeFailure: (status: Status) => Buffer
  readonly signal: AbortSignal
  readonly recorder: WatchRecorder
  readonly onInternalError: (error: unknown) => void
}

/** Sends the events of a storage watch to a client until one of them ends. If the watch fails, the error is the last event. */
export async function pumpWatch(pump: WatchPump, watch: ObjectWatch): Promise<void> {
  const { sink, encodeFailure, signal, onInternalError } = pump
  try {
    await watch.forEach((batch) => writeGroups(pump, groupEvents(batch), 0))
  } catch (error) {
    if (signal.aborted || sink.closed) return
    if (!isApiError(error)) onInternalError(error)
    const failure = isApiError(error) ? error : newInternal('the watch could not go on', { cause: error })
    sink.write(encodeFailure(failure.status))
  }
}

/** Writes batches of events. Returns undefined if all are written and the socket has room, or a promise that waits for the socket. */
function writeGroups(pump: WatchPump, pieces: readonly (readonly ObjectEvent[])[], first: number): Promise<void> | undefined {
  for (let i = first; i < pieces.length && !pump.signal.aborted; i++) {
    if (!writeEvents(pump, pieces[i]!)) return waitUntilWritable(pump).then(() => writeGroups(pump, pieces, i + 1))
  }
  return undefined
}

/** Resolves when the socket has room again, or when the watch has ended. */
function waitUntilWritable({ sink, signal }: WatchPump): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      signal.removeEventListener('abort', settle)
      resolve()
    }
    signal.addEventListener('abort', settle)
    if (signal.aborted) settle()
    else void sink.waitForDrain().then(settle)
  })
}

const groupBytes = 128 * 1024

/** Splits a long batch of events, so that no more events are encoded than the socket accepts. Usually returns the batch unchanged. */
function groupEvents(batch: readonly ObjectEvent[]): readonly (readonly ObjectEvent[])[] {
  if (batch.length === 1) return [batch]
  const eventGroups: (readonly ObjectEvent[])[] = []
  let start = 0
  let bytes = 0
  for (let i = 0; i < batch.length; i++) {
    const event = batch[i]!
    bytes += event.type === 'BOOKMARK' ? 0 : event.object.body.length
    if (bytes < groupBytes) continue
    eventGroups.push(batch.slice(start, i + 1))
    start = i + 1
    bytes = 0
  }
  if (start < batch.length) eventGroups.push(start === 0 ? batch : batch.slice(start))
  return eventGroups
}

function writeEvents(pump: WatchPump, events: readonly ObjectEvent[]): boolean {
  const { sink, framer, recorder } = pump
  let isReady: boolean
  if (sink.writeChunk === undefined) isReady = writeFrames(pump, events)
  else {
    const chunk = framer.encodeChunk(events)
    const bytes = countChunkPayload(chunk)
    recorder.sent(events.length, bytes)
    isReady = sink.writeChunk(chunk, bytes)
  }
  for (const event of events) if (event.type === 'BOOKMARK' && event.initialEventsEnd) recorder.sentInitialEvents()
  return isReady
}

function writeFrames({ sink, framer, recorder }: WatchPump, events: readonly ObjectEvent[]): boolean {
  sink.cork()
  let isReady = true
  let bytes = 0
  for (const event of events) {
    const frame = framer.encodeEvent(event)
    bytes += frame.length
    isReady = sink.write(frame)
  }
  sink.uncork()
  recorder.sent(events.length, bytes)
  return isReady
}
