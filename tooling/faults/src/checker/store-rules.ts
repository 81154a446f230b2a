import type { KeyRange, Revision } from '@keelson/storagebackend'
import { isInRange } from '@keelson/storagebackend'
import { describe, type ChangeLog, type Version } from './change-log.ts'
import type { CallRecord, History, Outcome, Report, Seen, Time } from './history.ts'

/**
 * Checks that revisions never decrease. A call must not see an older revision than calls that returned before it started, and a write must
 * have a higher revision.
 */
export function checkRevisionsNeverDecrease(history: History, report: Report): void {
  const answered = history.calls.filter(({ call, outcome }) => findRevision(outcome) !== undefined && !isPast(call))
  const byReturn = answered.toSorted((a, b) => a.returned - b.returned)
  let next = 0
  let floor = history.start
  for (const record of answered.toSorted((a, b) => a.invoked - b.invoked)) {
    for (; next < byReturn.length && byReturn[next]!.returned < record.invoked; next++)
      floor = Math.max(floor, findRevision(byReturn[next]!.outcome)!)
    const revision = findRevision(record.outcome)!
    const writes =
      record.outcome.type === 'committed' && record.call.type === 'commit' && record.call.operations.some((o) => o.type === 'put')
    if (revision < floor || (writes && revision === floor))
      report('revisions-never-decrease', `${record.call.type} returned revision ${revision} after revision ${floor} had been returned`)
  }
}

/** Checks that all writes that clients saw before a restart are present after it. */
export function checkSurvival(history: History, report: Report): void {
  for (const restart of history.restarts) {
    const reportLost = (revision: Revision, time: Time, subject: string): void => {
      if (time < restart.time && revision > restart.revision)
        report('acknowledged-writes-survive', `${subject} showed revision ${revision}, but the store restarted at ${restart.revision}`)
    }
    for (const { call, outcome, returned } of history.calls) {
      const revision = findRevision(outcome)
      if (revision !== undefined) reportLost(revision, returned, call.type)
    }
    for (const watch of history.watches)
      for (const segment of watch.segments)
        for (const item of segment.items) reportLost(item.revision, item.time, `the watch ${watch.name}`)
  }
}

/** Checks that each list and each read of a past revision returns the state at its revision. */
export function checkSnapshotReads(history: History, log: ChangeLog, report: Report): void {
  const keys = [...log.versions.keys()]
  for (const record of history.calls) {
    const { call, outcome } = record
    if (call.type === 'get' && call.at !== undefined && outcome.type === 'entry')
      checkVersion(outcome.entry, log.findVersion(call.key, call.at), log, call.key, `get at ${call.at}`, report)
    if (call.type === 'list' && outcome.type === 'page') checkPage(call.range, call, outcome, { keys, log, report, history, record })
  }
}

interface PageContext {
  readonly keys: readonly string[]
  readonly log: ChangeLog
  readonly report: Report
  readonly history: History
  readonly record: CallRecord
}

function checkPage(
  range: KeyRange,
  { at, limit = 0 }: { readonly at?: Revision; readonly limit?: number },
  page: Outcome & { type: 'page' },
  { keys, log, report, history, record }: PageContext,
): void {
  const revision = at ?? page.revision
  const description = `list at ${revision}`
  const shown = new Map(page.entries.map((entry) => [entry.key, entry]))
  if (shown.size !== page.entries.length) report('list-is-a-snapshot', `${description} contains a key twice`)
  for (const [i, { key }] of page.entries.entries()) {
    if (!isInRange(range, key)) report('list-is-a-snapshot', `${description} contains ${key}, which is outside its range`)
    if (i > 0 && Buffer.compare(Buffer.from(page.entries[i - 1]!.key), Buffer.from(key)) >= 0)
      report('list-is-a-snapshot', `the keys of ${description} are out of order at ${key}`)
  }
  let live = 0
  let vanishing = 0
  const last = page.more ? page.entries.at(-1)?.key : undefined
  const afterRestart = history.restarts.some((restart) => restart.time <= record.invoked)
  for (const key of keys) {
    if (!isInRange(range, key)) continue
    const version = log.findVersion(key, revision)
    const entry = shown.get(key)
    if (version?.tag !== undefined) live++
    if (log.mayVanish(key)) vanishing++
    if (last !== undefined && key > last) continue
    if (!entry && version?.tag !== undefined && afterRestart && !log.mayVanish(key))
      report(
        'acknowledged-writes-survive',
        `${key} = ${version.tag} of revision ${version.revision} is not there after the restart (${description})`,
      )
    else checkVersion(entry, version, log, key, description, report)
  }
  if (limit > 0 && page.entries.length > limit) report('list-is-a-snapshot', `${description} exceeds its limit of ${limit}`)
  if (page.more !== page.count > page.entries.length)
    report('list-is-a-snapshot', `${description} reports more: ${page.more} with ${page.entries.length} of ${page.count}`)
  if (Math.abs(page.count - live) > vanishing) report('list-is-a-snapshot', `${description} counts ${page.count} keys instead of ${live}`)
}

function checkVersion(
  entry: Seen | undefined,
  version: Version | undefined,
  log: ChangeLog,
  key: string,
  subject: string,
  report: Report,
): void {
  if (!entry) {
    if (version?.tag !== undefined && !log.mayVanish(key))
      report('list-is-a-snapshot', `${subject} lacks ${key} = ${version.tag} of revision ${version.revision}`)
    return
  }
  if (!version || version.tag === undefined || version.tag !== entry.tag || version.revision !== entry.modRevision)
    report(
      'list-is-a-snapshot',
      `${subject} has ${describe(entry)}, but it was ${version?.tag ?? 'absent'} since ${version?.revision ?? 'ever'}`,
    )
  else if (version.create !== entry.createRevision && !log.mayVanish(key))
    report('list-is-a-snapshot', `${subject} contains ${describe(entry)}, but it was created at ${version.create}`)
}

/** Checks that a transaction is only rejected if one of its compares fails. */
export function checkLostRaces(history: History, report: Report): void {
  for (const { call, outcome } of history.calls) {
    if (call.type !== 'commit' || outcome.type !== 'lost') continue
    if (call.compare.every(({ modRevision }, i) => (outcome.current[i]?.modRevision ?? 0) === modRevision))
      report('linearizable', `a transaction lost its race at ${outcome.revision}, although every compare held`)
  }
}

/** Checks that every revision belongs to a write. There must not be more unseen revisions than unacknowledged writes. */
export function checkRevisionsExplained(history: History, log: ChangeLog, report: Report): void {
  if (history.foreignRevisions || history.expiries) return
  let newest = log.revisions.at(-1) ?? history.start
  for (const { outcome } of history.calls) newest = Math.max(newest, findRevision(outcome) ?? 0)
  for (const { revision } of history.restarts) newest = Math.max(newest, revision)
  let unseen = newest - history.start - log.revisions.filter((revision) => revision > history.start && revision <= newest).length
  for (const record of history.calls) if (record.outcome.type === 'unknown' && log.findRevision(record) === undefined) unseen--
  if (unseen > 0) report('nothing-from-nowhere', `${unseen} revisions up to ${newest} belong to no write`)
}

export function findRevision(outcome: Outcome): Revision | undefined {
  return 'revision' in outcome ? outcome.revision : undefined
}

function isPast(call: CallRecord['call']): boolean {
  return call.type !== 'commit' && call.at !== undefined
}
