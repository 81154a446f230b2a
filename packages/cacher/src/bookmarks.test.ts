import { describe, expect, test } from 'vitest'
import { BookmarkSchedule } from './bookmarks.ts'

const start = 1_000_000

describe('BookmarkSchedule', () => {
  test('plans a bookmark every minute, and one shortly before the deadline', () => {
    const schedule = new BookmarkSchedule<{ deadline: number | undefined }>(start)
    const watcher = { deadline: start + 100_000 }
    const sentAt: number[] = []
    schedule.plan(watcher, start)
    for (let now = start; now <= start + 200_000; now += 1000) {
      for (const due of schedule.takeDue(now)) {
        sentAt.push(now - start)
        schedule.plan(due, now)
      }
    }
    expect(sentAt).toEqual([60_000, 98_000])
  })

  test('plans no bookmark for a watch that ends at once or was deleted', () => {
    const schedule = new BookmarkSchedule<{ deadline: number | undefined }>(start)
    schedule.plan({ deadline: start + 1000 }, start)
    const deletedWatcher = { deadline: undefined }
    schedule.plan(deletedWatcher, start)
    schedule.delete(deletedWatcher)
    expect(schedule.takeDue(start + 300_000)).toEqual([])
  })

  test('returns every watcher after the process was paused for a long time', () => {
    const schedule = new BookmarkSchedule<{ deadline: number | undefined }>(start)
    const watchers = [1, 2, 3].map((n) => ({ deadline: start + n * 10_000 }))
    for (const watcher of watchers) schedule.plan(watcher, start)
    expect(schedule.takeDue(start + 86_400_000)).toEqual(watchers)
  })
})
