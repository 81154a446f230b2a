const width = 24

export interface Progress {
  /** Shows the current activity and the number of finished items. */
  show(done: number, total: number, label: string): void
  /** Prints a line that stays visible. */
  printLine(line: string): void
  end(): void
}

/** Creates a progress display. It is a progress bar on a terminal, and a line per item otherwise. */
export function createProgress(out: NodeJS.WriteStream = process.stderr, now: () => number = Date.now): Progress {
  const began = now()
  let shownCount = -1
  const clear = (): void => {
    if (out.isTTY) out.write('\r\u001B[K')
  }
  return {
    show(done, total, label) {
      if (!out.isTTY) {
        if (done !== shownCount) out.write(`${done + 1}/${total} ${label}\n`)
        shownCount = done
        return
      }
      const filled = Math.round((done / total) * width)
      const left = done === 0 ? '' : `, about ${formatClock(((now() - began) / done) * (total - done))} left`
      const text = `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total} ${label}${left}`
      clear()
      out.write(text.slice(0, Math.max(20, (out.columns ?? 100) - 1)))
    },
    printLine(line) {
      clear()
      out.write(`${line}\n`)
    },
    end: clear,
  }
}

function formatClock(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
