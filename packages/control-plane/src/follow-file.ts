import { readFile } from 'node:fs/promises'
import type { Clock } from '@keelson/apimachinery'

export interface FollowedFile {
  readonly file: string
  /** Content at the start. */
  readonly content: string
  readonly clock: Clock
  /** Called with each new content; the next look waits for it. It reports its own failures. `false` means: call again with the same content. */
  readonly onContent: (content: string) => Promise<boolean | undefined>
  readonly onUnreadable: (error: unknown) => void
}

/** Interval between looks at a file, ms. Polls because file watches miss the symlink changes of mounted secrets. */
const intervalMs = 5000

/** Calls back whenever the content of a file changes. Disposing the result ends it. */
export function followFile({ file, content, clock, onContent, onUnreadable }: FollowedFile): Disposable {
  let last = content
  let isOver = false
  let cancel = clock.after(intervalMs, look)
  function look(): void {
    void read().then(() => {
      if (!isOver) cancel = clock.after(intervalMs, look)
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
