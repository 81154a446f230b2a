import { execFile } from 'node:child_process'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'

export interface ServiceManager {
  /** Sends assignments such as `READY=1` in one message. Messages are sent in sequence. Never rejects. */
  notify(...assignments: readonly string[]): Promise<void>
}

export interface ServiceManagerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called once, with the error of the first message that could not be sent. */
  readonly onError: (error: unknown) => void
  readonly pid?: number
  readonly clock?: Clock
  /** Sends one message. Default: runs the program `systemd-notify`. */
  readonly send?: (args: readonly string[]) => Promise<void>
}

/**
 * Connects to systemd by the protocol sd_notify(3). Returns undefined if systemd did not start this process. Node has no Unix datagram
 * sockets, so the program `systemd-notify` sends each message. The unit therefore needs `NotifyAccess=all`. If the watchdog is enabled,
 * messages are sent twice per watchdog interval.
 */
export function connectServiceManager(options: ServiceManagerOptions): ServiceManager | undefined {
  const { environment, onError, pid = process.pid, clock = systemClock, send = runSystemdNotify } = options
  if (!environment['NOTIFY_SOCKET']) return undefined
  let hasFailed = false
  let lastSent = Promise.resolve()
  const notify = (...assignments: readonly string[]): Promise<void> => {
    lastSent = lastSent
      .then(() => send([`--pid=${pid}`, ...assignments]))
      .catch((error: unknown) => {
        if (!hasFailed) onError(error)
        hasFailed = true
      })
    return lastSent
  }
  const intervalMs = readWatchdogMs(environment, pid) / 2
  const tick = (): void => {
    clock.after(intervalMs, () => {
      void notify('WATCHDOG=1')
      tick()
    })
  }
  if (intervalMs > 0) tick()
  return { notify }
}

/** Returns the watchdog interval in milliseconds. Returns 0 if the watchdog is disabled or is for another process. */
function readWatchdogMs(environment: ServiceManagerOptions['environment'], pid: number): number {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: watched = String(pid) } = environment
  return /^\d+$/.test(microseconds) && watched === String(pid) ? Number(microseconds) / 1000 : 0
}

function runSystemdNotify(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('systemd-notify', args, { timeout: 5000 }, (error) => (error === null ? resolve() : reject(error)))
  })
}
