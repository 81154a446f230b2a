/** Interval of checks in milliseconds. */
const intervalMs = 1000

/**
 * Sends SIGTERM to this process when its parent has ended. Tools that are killed, such as a test run that took too long, do not stop the programs that
 * they have started.
 */
export function endWithParent(): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, intervalMs)
  timer.unref()
}
