import { execFile } from 'node:child_process'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'

export interface ServiceManager {
  /** Sends assignments like `READY=1` in one message, after the previous messages. Never rejects. */
  notify(...assignments: readonly string[]): Promise<void>
}

export interface ServiceManagerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called once, after the first message that could not be sent. */
  readonly onError: (error: unknown) => void
  readonly pid?: number
  readonly clock?: Clock
  /** Sends a message. Default: runs `systemd-notify`. */
  readonly send?: (args: readonly string[]) => Promise<void>
}

/**
 * Connects to systemd by the protocol of sd_notify(3). Returns undefined if systemd did not start this process. Node has no datagram sockets of the unix
 * family, so the program `systemd-notify`, which is part of systemd, sends each message. The unit needs `NotifyAccess=all` for that. While the watchdog is on,
 * messages are sent twice per interval.
 */
export function connectServiceManager(options: ServiceManagerOptions): ServiceManager | undefined {
  const { environment, onError, pid = process.pid, clock = systemClock, send = runSystemdNotify } = options
  if (!environment['NOTIFY_SOCKET']) return undefined
  let hasFailed = false
  let sent = Promise.resolve()
  const notify = (...assignments: readonly string[]): Promise<void> => {
    sent = sent
      .then(() => send([`--pid=${pid}`, ...assignments]))
      .catch((error: unknown) => {
        if (!hasFailed) onError(error)
        hasFailed = true
      })
    return sent
  }
  const intervalMs = watchdogMs(environment, pid) / 2
  const tick = (): void => {
    clock.after(intervalMs, () => {
      void notify('WATCHDOG=1')
      tick()
    })
  }
  if (intervalMs > 0) tick()
  return { notify }
}

/** Returns the watchdog interval; 0 if it is off or meant for another process. */
function watchdogMs(environment: ServiceManagerOptions['environment'], pid: number): number {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: watched = String(pid) } = environment
  return /^\d+$/.test(microseconds) && watched === String(pid) ? Number(microseconds) / 1000 : 0
}

function runSystemdNotify(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('systemd-notify', args, { timeout: 5000 }, (error) => (error === null ? resolve() : reject(error)))
  })
}
