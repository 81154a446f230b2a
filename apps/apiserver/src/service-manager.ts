import { execFile } from 'node:child_process'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'

export interface ServiceManager {
  /** Sends assignments like `READY=1` in one message, behind those that were sent before. Never rejects. */
  notify(...assignments: readonly string[]): Promise<void>
}

export interface ServiceManagerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called once, when the first message could not be sent. */
  readonly onError: (error: unknown) => void
  readonly pid?: number
  readonly clock?: Clock
  /** Default: runs `systemd-notify`. */
  readonly send?: (args: readonly string[]) => Promise<void>
}

/**
 * Talks to systemd as sd_notify(3) does; undefined when it did not start this process. Node has no datagram sockets of the unix family, so each message is
 * sent by the program `systemd-notify`, which comes with systemd. The unit needs `NotifyAccess=all` for that. While the watchdog is on, the messages it
 * waits for are sent twice as often as it asks.
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

/** 0: the watchdog is off, or is meant for another process. */
function watchdogMs(environment: ServiceManagerOptions['environment'], pid: number): number {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: watched = String(pid) } = environment
  return /^\d+$/.test(microseconds) && watched === String(pid) ? Number(microseconds) / 1000 : 0
}

function runSystemdNotify(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('systemd-notify', args, { timeout: 5000 }, (error) => (error === null ? resolve() : reject(error)))
  })
}
