import { waitForNextTurn } from '@keelson/apimachinery'
import type { ServerChain } from '@keelson/control-plane'

/** Turns of the event loop without work after which controllers are idle. A change in the store reaches them within fewer turns. */
const idleTurns = 5

/** Returns whether controllers have no work and write nothing for some turns of the event loop. */
export async function isIdle(server: Pick<ServerChain, 'busyWork'>, readRevision: () => number): Promise<boolean> {
  const revision = readRevision()
  for (let turn = 0; turn < idleTurns; turn++) {
    await waitForNextTurn()
    if (server.busyWork.length > 0 || readRevision() !== revision) return false
  }
  return true
}

/**
 * Waits until controllers have handled all changes and write nothing. Delayed retries and periodic work do not count. Throws an error that names
 * the work if this takes longer than `timeoutMs`.
 */
export async function waitUntilIdle(
  server: Pick<ServerChain, 'busyWork'>,
  readRevision: () => number,
  { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  let revision = readRevision()
  let quietTurns = 0
  while (quietTurns < idleTurns) {
    await waitForNextTurn()
    const busy = server.busyWork
    const current = readRevision()
    quietTurns = busy.length === 0 && current === revision ? quietTurns + 1 : 0
    revision = current
    if (quietTurns > 0 || performance.now() < deadline) continue
    const cause = busy.length === 0 ? 'objects still change' : `these still have work: ${busy.join(', ')}`
    throw new Error(`the controllers are not idle after ${timeoutMs / 1000} s; ${cause}. Stop clients that write all the time.`)
  }
}
