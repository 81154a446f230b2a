import { readFile } from 'node:fs/promises'
import type { Clock } from '@keelson/apimachinery'

export interface FollowedFile {
  readonly file: string
  /** Text of the file when the server started. */
  readonly content: string
  readonly clock: Clock
  /**
   * Called with each new content of the file. The next check waits until it resolves. It must handle its own errors. If it resolves to
   * `false`, it is called again with the same content.
   */
  readonly onContent: (content: string) => Promise<boolean | undefined>
  readonly onUnreadable: (error: unknown) => void
}

/** Polling interval in milliseconds. The file is polled, because file watches miss symlink changes in mounted secrets. */
const intervalMs = 5000

/** Polls a file and calls `onContent` when its content changes. Disposing the result stops the polling. */
export function followFile({ file, content, clock, onContent, onUnreadable }: FollowedFile): Disposable {
  let last = content
  let isOver = false
  let cancel = clock.after(intervalMs, checkFile)
  function checkFile(): void {
    void read().then(() => {
      if (!isOver) cancel = clock.after(intervalMs, checkFile)
    })
  }
  async function read(): Promise<void> {
    let text: string
    try {
      text = await readFile(file, 'utf8')
    } catch (error) {
      onUnreadable(error)
      return
    }
    if (text === last || isOver) return
    if ((await onContent(text)) !== false) last = text
  }
  return {
    [Symbol.dispose]: () => {
      isOver = true
      cancel()
    },
  }
}
